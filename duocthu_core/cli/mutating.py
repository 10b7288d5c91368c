"""``mutate``: wrong claims made from true ones, and what the checks caught (spec 01, "Command line"; 06, page 7)."""

from __future__ import annotations

import argparse
import sys

from duocthu_core.cli.errors import DONE, BadInput
from duocthu_core.cli.lines import print_json
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.evaluation.mutation_lab import MutationLab, MutationReport, report_csv
from duocthu_core.evaluation.verified_claims import claims_of_book
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.settings import Settings
from duocthu_core.verification.mutation import MUTANT_KINDS, MutantKind

_MOST_PER_KIND = 10_000


def run_mutate(options: argparse.Namespace, settings: Settings) -> int:
    """Runs the lab over a corpus and writes the table, or the whole report as JSON or CSV, to standard output."""
    if not 1 <= options.per_kind <= _MOST_PER_KIND:
        raise BadInput(f"--per-kind: give 1 to {_MOST_PER_KIND}")
    kinds: tuple[MutantKind, ...] = tuple(kind for kind in MUTANT_KINDS if not options.kind or kind in options.kind)
    unknown = set(options.kind or ()) - set(MUTANT_KINDS)
    if unknown:
        raise BadInput(f"--kind: no kind {min(unknown)!r}; known: {', '.join(MUTANT_KINDS)}")
    corpus = load_corpus(options.corpus or settings.corpus_path)
    ruleset = shipped_ruleset(settings.ruleset)
    lab = MutationLab(ruleset, options.seed, options.per_kind, kinds)
    report = lab.run(claims_of_book(corpus, ruleset, options.seed), corpus.edition, corpus.corpus_id)
    if options.json:
        print_json(report.model_dump(mode="json"))
    elif options.csv:
        sys.stdout.buffer.write(report_csv(report))
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write("\n".join(readable_report(report)) + "\n")
    return DONE


def readable_report(report: MutationReport) -> list[str]:
    """The table of kinds, then the survivors with both texts."""
    lines = [
        f"{report.edition} · rules {report.ruleset_id[:12]} · seed {report.seed}",
        f"{report.claims} true claims, {len(report.rejected_claims)} falsely rejected",
        "",
        f"{'kind':<24}{'caught':>12}  {'95 % interval':<16}{'still true':>10}  caught by",
    ]
    for row in report.kinds:
        between = f"{row.interval.low:.3f} - {row.interval.high:.3f}" if row.interval else "n/a"
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(row.by_reason.items(), key=lambda pair: -pair[1]))
        share = f"{row.caught}/{row.total}"
        lines.append(f"{row.kind:<24}{share:>12}  {between:<16}{sum(row.left_out.values()):>10}  {reasons}")
    lines += ["", f"survivors: {len(report.survivors)}"]
    for tried in report.survivors:
        blocks = " ".join(f"[{block.index}] {block.block_id}" for block in tried.evidence)
        lines += [f"  {tried.kind}: {tried.change}", f"    - {tried.claim}", f"    + {tried.text}", f"    {blocks}"]
    lines += [f"falsely rejected, {claim.reason}: {claim.text}" for claim in report.rejected_claims]
    return lines
