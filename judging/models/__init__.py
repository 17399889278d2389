from judging.models.batches import BatchEnding, BatchState, LLMBatch
from judging.models.calls import AnswerPieces, CallState, JudgeCall, Outcome
from judging.models.comparisons import PairingChoice, ReplyComparison
from judging.models.endpoints import EndpointDialect, LLMEndpoint, LLMPrice, Probe, ProcessorClass
from judging.models.generations import Generation, LLMGenerator
from judging.models.judges import Judge, Manner
from judging.models.prompts import PromptTemplate, SentText
from judging.models.readings import CallReading, HandReading, Preference, Preferred, WrittenReply
from judging.models.runs import HoldOutUse, JudgeRun, RunAnswerer, RunState
from judging.models.sentinels import Sentinel, SentinelSet

__all__ = [
    "AnswerPieces",
    "BatchEnding",
    "BatchState",
    "CallReading",
    "CallState",
    "EndpointDialect",
    "Generation",
    "HandReading",
    "HoldOutUse",
    "Judge",
    "JudgeCall",
    "JudgeRun",
    "LLMBatch",
    "LLMEndpoint",
    "LLMGenerator",
    "LLMPrice",
    "Manner",
    "Outcome",
    "PairingChoice",
    "Preference",
    "Preferred",
    "Probe",
    "ProcessorClass",
    "PromptTemplate",
    "ReplyComparison",
    "RunAnswerer",
    "RunState",
    "SentText",
    "Sentinel",
    "SentinelSet",
    "WrittenReply",
]
