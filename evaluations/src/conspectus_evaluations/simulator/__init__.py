"""A local server that answers as services of publications do, and can be searched: for tests without the internet."""

from conspectus_evaluations.simulator.server import SERVICES, Faults, SeenRequest, Simulator
from conspectus_evaluations.simulator.works import SimulatedWork, read_corpus

__all__ = ["SERVICES", "Faults", "SeenRequest", "SimulatedWork", "Simulator", "read_corpus"]
