"""Sort papers into categories, hold the result against labels, and correct it.

Modules that need SQLAlchemy or numpy are imported by the verbs, so that help is fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conspectus.core.errors import UsageError
from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, run_code, verb
from conspectus.faces.filters import Budget, ModelName, PaperFilters, PaperName, Progressing, UseCache
from conspectus.records import Filters
from conspectus.records.events import Progress
from conspectus.records.review import CategoryCollections, Classification, ClassificationCheck

if TYPE_CHECKING:
    from conspectus.review.classify.files import CategorySet, PaperLabels

CategorySource = str | Path | Mapping[str, str]
LabelSource = str | Path | Mapping[str, str | Sequence[str]]
_TEXT: dict[str, Any] = {"faces": ("http",), "max_length": 10_000_000}
ClassificationName = Annotated[
    str, Option("Name or id of a classification (default: the newest).", metavar="NAME", max_length=1000)
]
Limit = Annotated[int, Option("Papers in the result, at most.", ge=1, le=1_000_000, served_le=1000, metavar="N")]


def _check_code(check: ClassificationCheck) -> int:
    return int(bool(check.failed))


LeastProbability = Annotated[
    float,
    Option("Least probability of a category, without a language model; below it none fits.", ge=0, le=1, metavar="P"),
]


class ClassifyVerbs(VerbGroup, name="review"):
    """Papers in categories."""

    @verb("review classify", http="POST /reviews/classifications", job=True, writes=True, exit_code=run_code)
    def classify(
        self,
        categories: Annotated[
            CategorySource, Option("TOML file with categories.", metavar="CATEGORIES", faces=("cli",), absent="")
        ] = "",
        *,
        categories_text: Annotated[
            str, Option("Categories in TOML.", example='[categories]\n"Stars" = "The Sun and other stars"', **_TEXT)
        ] = "",
        examples: Annotated[
            LabelSource,
            Option("CSV file with labels to learn from: `paper`, `category`.", metavar="LABELS", faces=("cli",)),
        ] = "",
        examples_text: Annotated[str, Option("Labels to learn from, in CSV: `paper`, `category`.", **_TEXT)] = "",
        several: Annotated[bool, Option("A paper may have several categories.")] = False,
        name: Annotated[
            str, Option("Name of the classification (default: that of the file).", metavar="NAME", max_length=1000)
        ] = "",
        least: LeastProbability = 0.5,
        filters: PaperFilters = None,
        model: ModelName = "",
        cache: UseCache = True,
        budget: Budget = None,
        limit: Limit = 1000,
        progress: Progressing = None,
    ) -> Classification:
        """Sort papers into categories, each with the sentence that decided.

        A category has a name and a description. A language model decides by the paper's abstract and beginning, and
        names the sentence. Without one (or with the model `none`) vectors and words decide: by the descriptions, by
        examples, by your corrections, and by what the other papers have in common. Probabilities are then calibrated on
        the examples, and the sentence is the one nearest the category. If no category fits, a paper has none.

        Run it again to go on after an interruption, or after new papers, other descriptions or more examples. What
        stays the same is not read again.

        Shell:
            CATEGORIES has lines such as `"Stars" = "The Sun and other stars, and how they evolve"` below
            `[categories]`. The exit code is 1 if labels or papers could not be used, or the run ended early.

        Raises:
            UsageError: there are no categories, two say the same, or no label can be used.
            InputError: a file cannot be read.
            ServiceError: the language model cannot be asked.
        """
        from conspectus.review.classify.files import read_categories
        from conspectus.review.classify.run import ClassifyRequest, classify

        category_set = read_categories(categories, categories_text)
        if several or len(category_set.categories) == 1:  # of one category the question is whether a paper has it
            category_set = replace(category_set, several=True)
        labels = self._labels(examples, examples_text, category_set)
        request = ClassifyRequest(category_set, labels, filters or Filters(), name, least, model, not cache, limit)
        with listen(progress, Progress):
            return classify(self.session.with_settings(budget or {}), request)

    @verb("review classify show", http="GET /reviews/classifications/{name}")
    def classify_show(
        self,
        name: ClassificationName = "",
        *,
        after: Annotated[str, Option("`next` of the part before.", max_length=1000, metavar="ID")] = "",
        limit: Limit = 1000,
    ) -> Classification:
        """Show a classification: papers with their categories and the sentences that decided.

        Raises:
            NotFoundError: there is no such classification.
            UsageError: `after` is no `next` of a list.
        """
        from conspectus.review.classify.classification import show_classification

        return show_classification(self.session, self._find_classification(name), limit, after)

    @verb("review classify check", http="POST /reviews/classifications/{name}/check", exit_code=_check_code)
    def classify_check(
        self,
        labels: Annotated[
            LabelSource,
            Option("CSV file with labels: `paper`, `category`.", metavar="LABELS", faces=("cli",), absent=""),
        ] = "",
        name: ClassificationName = "",
        *,
        labels_text: Annotated[str, Option("Labels in CSV: `paper`, `category`.", **_TEXT)] = "",
    ) -> ClassificationCheck:
        """Compare a classification with labels: confusion table, precision and recall, accuracy, disagreements.

        What the classifier said counts, not your corrections. A paper that it learnt from counts only if it was
        classified by what had not learnt from it.

        Shell:
            The exit code is 1 if some labels could not be used.

        Raises:
            NotFoundError: there is no such classification.
            UsageError: no label can be used.
            InputError: the file cannot be read.
        """
        from conspectus.review.classify.check import check_classification
        from conspectus.review.classify.classification import categories_of

        review = self._find_classification(name)
        paper_labels = self._labels(labels, labels_text, categories_of(review))
        if not paper_labels.of:
            raise UsageError("There are no labels.", "Give a CSV file with the columns `paper` and `category`.")
        return check_classification(self.session, review, paper_labels)

    @verb("review classify correct", http="POST /reviews/classifications/{name}/papers", writes=True)
    def classify_correct(
        self,
        paper: PaperName,
        categories: Annotated[
            tuple[str, ...],
            Option("Categories that it has; none: no category fits.", metavar="CATEGORY…", max_items=100),
        ] = (),
        *,
        name: ClassificationName = "",
        undo: Annotated[bool, Option("Take your correction back.")] = False,
    ) -> Classification:
        """Say which categories a paper has. It counts before all else, and the next run learns from it.

        Raises:
            NotFoundError: there is no such classification, paper or category.
            UsageError: several categories, and a paper has one only.
        """
        from conspectus.review.classify.classification import correct_paper

        review = self._find_classification(name)
        return correct_paper(self.session, review, self.session.paper(paper).id, categories, undo=undo)

    @verb("review classify collect", http="POST /reviews/classifications/{name}/collections", writes=True)
    def classify_collect(
        self,
        name: ClassificationName = "",
        *,
        category: Annotated[
            tuple[str, ...], Option("Only this category, or any of several.", metavar="CATEGORY", max_items=100)
        ] = (),
    ) -> CategoryCollections:
        """Put the papers of each category into a collection that has its name.

        Raises:
            NotFoundError: there is no such classification or category.
        """
        from conspectus.review.classify.classification import collect_papers

        return collect_papers(self.session, self._find_classification(name), category)

    def _find_classification(self, name: str) -> Any:
        from conspectus.review.sql import find_review

        return find_review(self.session, "classify", name)

    def _labels(self, source: LabelSource, text: str, category_set: CategorySet) -> PaperLabels:
        from conspectus.review.classify.files import read_labels

        return read_labels(self.session, source, category_set, text)
