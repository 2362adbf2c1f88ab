"""How well a library is searched and answered from, measured: on sets of data, and on the library's own papers.

A measurement of one configuration on one set is a `Result`; `ResultStore` keeps it, `compare` holds two against each
other, question by question.
"""

from __future__ import annotations

from conspectus.evals.answers import evaluate_answers
from conspectus.evals.bootstrap import interval, paired
from conspectus.evals.comparing import against_baseline, compare, estimates, lowest
from conspectus.evals.configurations import BUILT_IN, chosen, configuration
from conspectus.evals.datasets.answer_registry import (
    ANSWER_SETS,
    AnswerSet,
    Asked,
    answer_set,
    known_answers,
    load_answers,
)
from conspectus.evals.datasets.registry import DATASETS, Dataset, Document, dataset, known, load
from conspectus.evals.graph_use import evaluate_graph, measure_graph
from conspectus.evals.judging import SignTest, evaluate_judge, sign_test
from conspectus.evals.libraries import library_of, work_folder
from conspectus.evals.metrics import Metrics
from conspectus.evals.multi_entity import multi_entity
from conspectus.evals.own import Making, evaluate_self, measure_self, questions_of, write_questions
from conspectus.evals.plotting import check_plot, plot
from conspectus.evals.records import (
    Comparison,
    Configuration,
    Difference,
    Environment,
    Estimate,
    Question,
    Result,
    Scored,
    Snapshot,
)
from conspectus.evals.retrieval import evaluate_retrieval
from conspectus.evals.running import Options, Posed, measure, sample
from conspectus.evals.sampling import Sampling
from conspectus.evals.store import ResultStore
from conspectus.evals.ways import WAYS, Way, chosen_ways
