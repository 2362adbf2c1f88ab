"""How well a library is searched and answered from, measured: on sets of questions, and on its own papers.

A measurement of one configuration on one set is a `Result`. `ResultStore` keeps it; `compare` shows how two differ,
question by question.
"""

from __future__ import annotations

from conspectus.evaluation.answers import evaluate_answers
from conspectus.evaluation.comparison import against_baseline, compare, estimates, interval, lowest, paired
from conspectus.evaluation.configurations import (
    ANSWER_CONFIGS,
    BUILT_IN,
    AnswerConfig,
    configuration,
    select_answer_configs,
    select_configurations,
)
from conspectus.evaluation.libraries import Sampling, library_of, work_folder
from conspectus.evaluation.own_library import (
    QuestionOptions,
    evaluate_graph,
    evaluate_self,
    measure_graph,
    measure_self,
    questions_of,
    write_questions,
)
from conspectus.evaluation.own_questions import multi_entity
from conspectus.evaluation.question_sets import (
    MORE_SETS,
    AnswerQuestion,
    AnswerSet,
    Dataset,
    SetPaper,
    answer_set,
    known_answer_sets,
    known_sets,
    load,
    load_answers,
    question_set,
    sample,
)
from conspectus.evaluation.records import (
    Configuration,
    Difference,
    Environment,
    Estimate,
    Question,
    QuestionSet,
    Result,
    ResultComparison,
    ScoredQuestion,
    Snapshot,
)
from conspectus.evaluation.results import ResultStore
from conspectus.evaluation.retrieval import RankingMetrics, RetrievalOptions, evaluate_retrieval, measure
