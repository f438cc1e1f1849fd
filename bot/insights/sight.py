"""What of the insights may be shown among people."""

from __future__ import annotations

from collections.abc import Collection

from pipeline.values.insights import Gap, Insights


def for_readers(seen: Insights, collections: Collection[str]) -> Insights:
    """Without what one person asked in private, and without documents of other `collections`."""

    def near(gap: Gap) -> Gap:
        hidden = gap.nearest is not None and gap.nearest.collection not in collections
        return gap.model_copy(update={"nearest": None}) if hidden else gap

    return seen.model_copy(
        update={
            "most_asked": tuple(group for group in seen.most_asked if not group.private),
            "gaps": tuple(near(gap) for gap in seen.gaps if not gap.group.private),
            "contradictions": tuple(
                one
                for one in seen.contradictions
                if not one.private and all(paper.collection in collections for paper in one.papers)
            ),
            "never_cited": tuple(paper for paper in seen.never_cited if paper.collection in collections),
            "outdated": tuple(old for old in seen.outdated if old.paper.collection in collections),
        }
    )
