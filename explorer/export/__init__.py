"""Reports, graphs, traces and tables, written for other programs and for people."""
