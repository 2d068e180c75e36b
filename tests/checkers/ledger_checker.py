"""Checks the trace of a global search from outside: reads only the trace and the index's parquet files.

Everything is computed again with pandas and in another way than the program does it: which reports stand for the
level, their weights, the batches to the byte, what each reply holds, the packing of the reduce prompt, the fates of
reports, batches, points and calls, the sums, the waste, the ledger. Of the program only the token count is used.

    python tests/checkers/ledger_checker.py TRACE.json OUTPUT_FOLDER
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from explorer.base.tokens import count_tokens

Json = dict[str, Any]


def check_trace(trace: Json, output: Path) -> list[str]:
    """Every difference between the trace and what follows from the tables and the replies; empty where it is right."""
    checker = _Checker(trace, output)
    checker.check_selection()
    checker.check_batches()
    checker.check_calls()
    checker.check_points()
    checker.check_reports()
    checker.check_answer()
    checker.check_sums()
    return checker.defects


class _Checker:
    def __init__(self, trace: Json, output: Path) -> None:
        self.trace = trace
        self.knobs = trace["parameters"]
        self.tokenizer = self.knobs["tokenizer"]
        self.entities = pd.read_parquet(output / "entities.parquet")
        self.communities = pd.read_parquet(output / "communities.parquet").drop_duplicates("community")
        self.reports = pd.read_parquet(output / "community_reports.parquet").reset_index(drop=True)
        self.calls = {call["id"]: call for call in trace["calls"]}
        self.defects: list[str] = []
        # A run that a useless connection ended: what was not sent has failed, and the answer says why.
        self.stopped = any(batch["call"] is None and batch["fate"] == "failed" for batch in trace["batches"])
        self.report_fate: dict[tuple[str | None, int], str] = {}
        self.kept: pd.DataFrame = self.reports.head(0)

    def expect(self, what: str, found: Any, right: Any) -> None:
        if found != right:
            self.defects.append(f"{what}: {found!r} in the trace, {right!r} by the tables and replies")

    def count(self, text: str) -> int:
        return count_tokens(text, self.tokenizer)

    # --- which reports stand for the level ---------------------------------------------------------------------

    def check_selection(self) -> None:
        level = self.knobs["level"]
        shallow = self.communities if level is None else self.communities[self.communities.level <= level]
        first = self.reports.drop_duplicates("community")
        have = set(first.community)
        rolled = self.knobs["reports"] == "roll_up"
        if rolled:
            votes = shallow.explode("entity_ids").dropna(subset=["entity_ids"])
            votes = votes.sort_values(["level", "community"]).drop_duplicates("entity_ids", keep="last")
            wanted = {int(community) for community in votes.community}
        else:
            wanted = {int(community) for community in shallow.community}
        sent = wanted & have
        helped: set[int] = set()
        if rolled and self.knobs["nearest_ancestor"]:
            for community in sorted(wanted - have):
                ancestor = self._ancestor(community, have)
                if ancestor is not None:
                    helped.add(community)
                    sent.add(ancestor)
        for position, row in self.reports.iterrows():
            key = (row.id, int(row.community))
            if rolled and position not in first.index:
                self.report_fate[key] = "duplicate"
            elif int(row.community) not in sent or (not rolled and level is not None and row.level > level):
                self.report_fate[key] = "not_at_level"
        for community in self.communities.community:
            if int(community) not in have:
                lost = int(community) in wanted and int(community) not in helped
                self.report_fate[(None, int(community))] = "no_report" if lost else "not_at_level"
        rows = first if rolled else self.reports
        chosen = rows[[(row.id, int(row.community)) not in self.report_fate for row in rows.itertuples()]]
        self._weigh(chosen.copy(), shallow)

    def _ancestor(self, community: int, have: set[int]) -> int | None:
        parents = dict(zip(self.communities.community, self.communities.parent, strict=True))
        seen = set()
        while community not in seen:
            seen.add(community)
            community = int(parents.get(community, -1))
            if community in have:
                return community
        return None

    def _weigh(self, chosen: pd.DataFrame, shallow: pd.DataFrame) -> None:
        pairs = shallow[["community", "entity_ids"]].explode("entity_ids").dropna()
        pairs = pairs.merge(self.entities[["id", "text_unit_ids"]], left_on="entity_ids", right_on="id")
        if len(pairs):
            units = pairs.explode("text_unit_ids").groupby("community").text_unit_ids.nunique()
            chosen["weight"] = [int(units.get(community, 0)) for community in chosen.community]
            most = chosen.weight.max() if len(chosen) else 0
            chosen["weight"] = chosen.weight / most if most else 0.0
        good = chosen["rank"].notna() & (chosen["rank"] >= self.knobs["min_community_rank"])
        for row in chosen[~good].itertuples():
            self.report_fate[(row.id, int(row.community))] = "below_min_rank"
        self.kept = chosen[good]

    # --- batches -----------------------------------------------------------------------------------------------

    def check_batches(self) -> None:
        content = "summary" if self.knobs["use_community_summary"] else "full_content"
        table = pd.DataFrame({"id": [str(number) for number in self.kept.community], "title": list(self.kept.title)})
        if "weight" in self.kept:
            table["occurrence weight"] = [float(weight) for weight in self.kept.weight]
        table["content" if content == "full_content" else content] = list(self.kept[content])
        table["rank"] = [float(rank) for rank in self.kept["rank"]]
        order = list(range(len(table)))
        random.seed(self.knobs["shuffle_seed"])
        random.shuffle(order)
        start = self.count("-----Reports-----\n" + "|".join(table.columns) + "\n")
        groups: list[tuple[list[int], int]] = []
        for at in order:
            tokens = self.count("|".join(str(value) for value in table.iloc[at]) + "\n")
            if not groups or groups[-1][1] + tokens > self.knobs["max_context_tokens"]:
                groups.append(([], start))
            groups[-1] = ([*groups[-1][0], at], groups[-1][1] + tokens)
        sets = [set(table.id.iloc[members]) for members, _ in groups]
        if sets and sets[-1] in sets[:-1]:  # a last batch of the communities of an earlier one is not sent
            for row in self.kept.iloc[groups.pop()[0]].itertuples():
                self.report_fate[(row.id, int(row.community))] = "duplicate"
        found = self.trace["batches"]
        self.expect("number of batches", len(found), len(groups))
        for index, (batch, (members, tokens)) in enumerate(zip(found, groups, strict=False)):
            rows = table.iloc[members]
            keys = [name for name in ("occurrence weight", "rank") if name in rows]
            rows = rows.sort_values(keys, ascending=[False] * len(keys), kind="stable")
            self.expect(f"index of batch {index}", batch["index"], index)
            ids = list(self.kept.iloc[list(rows.index)].id)
            self.expect(f"report_ids of batch {index}", batch["report_ids"], ids)
            self.expect(f"context_tokens of batch {index}", batch["context_tokens"], tokens)
            call = self.calls.get(batch["call"] or "")
            if call is not None:
                text = rows.to_csv(sep="|", index=False, lineterminator="\n")
                if not any(text in message["content"] for message in call["messages"]):
                    self.defects.append(f"the messages of {call['id']} do not hold the text of batch {index}")
                sent = sum(self.count(message["content"]) for message in call["messages"])
                self.expect(f"prompt_tokens of batch {index}", batch["prompt_tokens"], sent)

    # --- calls and what they brought ---------------------------------------------------------------------------

    def check_calls(self) -> None:
        self.expect("number of calls", len(self.calls), len(self.trace["calls"]))
        made = [batch["call"] for batch in self.trace["batches"] if batch["call"]]
        maps = [call["id"] for call in self.trace["calls"] if call["stage"] == "map"]
        self.expect("map calls, one for each batch that was sent", maps, made)
        for batch in self.trace["batches"]:
            self._check_batch(batch)
        for call in self.trace["calls"]:
            if call["stage"] == "reduce" and call["fate"] not in ("ok", "cached", "failed", "cancelled"):
                self.defects.append(f"the reduce call ended as {call['fate']!r}")
            if call["fate"] in ("failed", "malformed") and not call["error"]:
                self.defects.append(f"{call['id']} is {call['fate']} and gives no reason")
            if call["fate"] == "cached" and (call["billed"] or call["cost"] not in (None, 0)):
                self.defects.append(f"{call['id']} came from the store and was charged")
            attempts = call.get("attempts", [])
            if attempts:
                self.expect(f"retries of {call['id']}", call["retries"], len(attempts) - 1)
                for name in ("prompt_tokens", "output_tokens"):
                    self.expect(f"{name} of {call['id']}", call[name], sum(one[name] for one in attempts))

    def _check_batch(self, batch: Json) -> None:
        index = batch["index"]
        points = [point for point in self.trace["points"] if point["batch"] == index]
        self.expect(f"points of batch {index}", batch["points"], len(points))
        self.expect(f"positions in batch {index}", [p["position"] for p in points], list(range(len(points))))
        used = sum(point["fate"] == "kept" for point in points)
        self.expect(f"used_points of batch {index}", batch["used_points"], used)
        call = self.calls.get(batch["call"] or "")
        if call is None or call["fate"] in ("failed", "cancelled"):
            unsent = "failed" if self.stopped else "cancelled"
            self.expect(f"fate of batch {index}", batch["fate"], unsent if call is None else call["fate"])
            self.expect(f"points of batch {index} without a reply", len(points), 0)
            return
        strict = _strict_points(call["reply"])
        if strict is not None:
            self.expect(f"texts and scores of batch {index}", [_seen(point) for point in points], strict)
        readable = [point for point in points if point["score"] is not None]
        if strict is not None and (readable or not points):
            right_call = ("ok", "cached")
        elif (
            strict is None
            and isinstance(_sound(call["reply"]), list | None)
            and (readable or call["fate"] == "repaired")
        ):  # no sound JSON, or the points without the object around them
            right_call = ("repaired",)
        else:
            right_call = ("malformed",)
        if call["fate"] not in right_call and not (strict is None and call["fate"] == "malformed"):
            self.defects.append(f"{call['id']} ended as {call['fate']!r}, not {' or '.join(right_call)}")
        if call["fate"] == "malformed":
            right = "malformed"
        else:
            right = "relevant" if any(point["score"] for point in readable) else "nothing_relevant"
        self.expect(f"fate of batch {index}", batch["fate"], right)

    # --- points ------------------------------------------------------------------------------------------------

    def check_points(self) -> None:
        points = self.trace["points"]
        budget = self.knobs["data_max_tokens"]
        ranked = sorted((p for p in points if p["score"]), key=lambda point: point["score"], reverse=True)
        used, stopped = 0, None
        right: dict[tuple[int, int], tuple[Any, Any, int]] = {}
        for rank, point in enumerate(ranked, 1):
            tokens = self.count(
                "\n".join(
                    (f"----Analyst {point['batch'] + 1}----", f"Importance Score: {point['score']}", point["text"])
                )
            )
            room = budget - used
            if tokens <= room and (stopped is None or self.knobs["keep_filling"]):
                fate = "kept"
                used += tokens
            else:
                stopped = stopped or rank
                fate = "would_have_fitted" if tokens <= room else "cut_by_budget"
            right[(point["batch"], point["position"])] = (fate, rank, tokens)
        for point in points:
            key = (point["batch"], point["position"])
            lost = "malformed" if point["score"] is None else "zero_score"
            fate, rank, tokens = right.get(key, (lost, None, 0))
            self.expect(f"fate of point {key}", point["fate"], fate)
            self.expect(f"rank of point {key}", point["rank"], rank)
            self.expect(f"tokens of point {key}", point["tokens"], tokens)
            if fate == "malformed" and not point["reason"]:
                self.defects.append(f"point {key} is malformed and gives no reason")
        reduce = self.trace["reduce"]
        self.expect("used", reduce["used"], used)
        self.expect("stopped_at", reduce["stopped_at"], stopped)
        self.expect("budget", reduce["budget"], budget)
        self.expect("kept", reduce["kept"], sum(fate == "kept" for fate, _, _ in right.values()))

    # --- reports -----------------------------------------------------------------------------------------------

    def check_reports(self) -> None:
        rows = self.trace["reports"]
        right = Counter([(row.id, int(row.community)) for row in self.reports.itertuples()])
        have = set(self.reports.community)
        right.update((None, int(number)) for number in self.communities.community if number not in have)
        self.expect("rows of reports", Counter((row["id"], row["community"]) for row in rows), right)
        batch_of = {
            (report, community): batch
            for batch in self.trace["batches"]
            for report, community in zip(batch["report_ids"], batch["communities"], strict=True)
        }
        for row in rows:
            key = (row["id"], row["community"])
            batch = batch_of.get(key)
            if key in self.report_fate:
                fate = self.report_fate[key]
            elif batch is not None and batch["fate"] in ("relevant", "nothing_relevant"):
                fate = "read"
            else:
                fate = "batch_lost"
            self.expect(f"fate of report {key}", row["fate"], fate)
            self.expect(f"batch of report {key}", row["batch"], None if batch is None else batch["index"])

    # --- the answer, the sums and the ledger -------------------------------------------------------------------

    def check_answer(self) -> None:
        batches, answer = self.trace["batches"], self.trace["answer"]
        fates = [batch["fate"] for batch in batches]
        reduces = [call for call in self.trace["calls"] if call["stage"] == "reduce"]
        candidates = [point for point in self.trace["points"] if point["score"]]
        kept = [point for point in candidates if point["fate"] == "kept"]
        if self.stopped:
            right = "failed"
        elif "cancelled" in fates:
            right = "cancelled"
        elif not candidates:
            lost = bool(fates) and all(fate in ("failed", "malformed") for fate in fates)
            right = "failed" if lost else "nothing_relevant"
        elif not kept:
            right = "failed"
        elif not reduces:
            right = "cancelled"
        else:
            right = {"ok": "answered", "cached": "answered"}.get(reduces[0]["fate"], reduces[0]["fate"])
        self.expect("status of the answer", answer["status"], right)
        self.expect(
            "reduce calls", len(reduces) <= (1 if kept and "cancelled" not in fates and not self.stopped else 0), True
        )
        if answer["status"] == "answered":
            self.expect("text of the answer", answer["text"], reduces[0]["reply"])
        if answer["status"] in ("failed", "cancelled") and not answer["reason"]:
            self.defects.append(f"the run is {answer['status']} and gives no reason")
        for call in reduces:
            ordered = sorted(kept, key=lambda point: point["rank"])
            blocks = [f"----Analyst {p['batch'] + 1}----\nImportance Score: {p['score']}\n{p['text']}" for p in ordered]
            if not any("\n\n".join(blocks) in message["content"] for message in call["messages"]):
                self.defects.append("the reduce messages do not hold the kept points in their order")

    def check_sums(self) -> None:
        calls = self.trace["calls"]
        for stage, sums in self.trace["totals"].items():
            own = [call for call in calls if call["stage"] == stage]
            self.expect(f"calls of {stage}", sums["calls"], len(own))
            for name in ("prompt_tokens", "output_tokens", "retries"):
                self.expect(f"{name} of {stage}", sums[name], sum(call[name] for call in own))
            self._close(f"seconds of {stage}", sums["seconds"], sum(call["seconds"] for call in own))
            self._cost(f"cost of {stage}", sums["cost"], own)
        stages = {call["stage"] for call in calls}
        self.expect("stages with totals", stages <= set(self.trace["totals"]), True)
        useless = {batch["call"] for batch in self.trace["batches"] if batch["used_points"] == 0}
        wasted = [call for call in calls if call["id"] in useless or call["fate"] == "failed"]
        tokens = sum(call["prompt_tokens"] for call in wasted)
        everything = sum(call["prompt_tokens"] for call in calls)
        self.expect("wasted prompt tokens", self.trace["waste"]["prompt_tokens"], tokens)
        self._close("share of waste", self.trace["waste"]["share"], tokens / everything if everything else 0.0)
        self._cost("cost of waste", self.trace["waste"]["cost"], wasted)
        for name in ("reports", "batches", "points", "calls"):
            fates = Counter(row["fate"] for row in self.trace[name])
            if fates.pop(None, 0):
                self.defects.append(f"{name} without a fate")
            account = self.trace["ledger"][name]
            self.expect(f"ledger of {name}", account["candidates"], len(self.trace[name]))
            self.expect(f"fates in the ledger of {name}", account["fates"], dict(fates))
            self.expect(f"balance of {name}", account["balanced"], True)

    def _close(self, what: str, found: float, right: float) -> None:
        if not math.isclose(found, right, abs_tol=1e-5):
            self.expect(what, found, right)

    def _cost(self, what: str, found: float | None, calls: list[Json]) -> None:
        costs = [call["cost"] for call in calls]
        offline = self.trace["connection"]["name"] == "offline"
        if offline and self.knobs["as_model"] is None:
            self.expect(what, found, None)
        elif None in costs:
            self.expect(what, found, None)
        elif found is None:
            known = any(call["cost"] is not None for call in self.trace["calls"])
            self.expect(what, found, sum(costs) if costs or known else None)
        else:
            self._close(what, found, sum(costs))


def _sound(reply: str) -> Any:
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        return None


def _strict_points(reply: str) -> list[tuple[str | None, int | None]] | None:
    """(text, score) of each point of a reply that keeps to the schema's outline, else None."""
    value = _sound(reply)
    if not isinstance(value, dict) or not isinstance(value.get("points"), list):
        return None
    return [_right(item) for item in value["points"]]


def _right(item: Any) -> tuple[str | None, int | None]:
    if not isinstance(item, dict) or not isinstance(item.get("description"), str):
        return None, None
    text, score = item["description"], item.get("score")
    if isinstance(score, str):
        try:
            score = math.nan if "_" in score else float(score.strip().removesuffix("%"))
        except ValueError:
            return None, None
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
        return None, None
    whole = min(100, max(0, int(score)))
    return (None, None) if whole and not text.strip() else (text, whole)


def _seen(point: Json) -> tuple[str | None, int | None]:
    return (None, None) if point["score"] is None else (point["text"], point["score"])


if __name__ == "__main__":
    found = check_trace(json.loads(Path(sys.argv[1]).read_text("utf-8")), Path(sys.argv[2]))
    print("\n".join(found) or "The trace is right.")
    sys.exit(1 if found else 0)
