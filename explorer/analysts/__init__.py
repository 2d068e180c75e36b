"""The judgements that the pipeline needs: one protocol, made by a language model or by the offline analyst."""
