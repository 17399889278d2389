"""Who speaks in a dialogue, and what they are called in those of others."""

SPEAKERS = ("seeker", "supporter")
SPEAKER_NAMES = {
    **dict.fromkeys(("seeker", "user", "usr", "human", "client", "patient"), "seeker"),
    **dict.fromkeys(("participant", "来访者", "求助者", "倾诉者"), "seeker"),
    **dict.fromkeys(("用户", "患者", "病人"), "seeker"),
    **dict.fromkeys(("supporter", "assistant", "gpt", "model", "sys", "bot", "ai"), "supporter"),
    **dict.fromkeys(("counselor", "counsellor", "therapist", "listener"), "supporter"),
    **dict.fromkeys(("doctor", "psychologist", "psychiatrist", "chatbot"), "supporter"),
    # Ellie asks in DAIC-WOZ, LaMDA answers in DICES.
    **dict.fromkeys(("interviewer", "ellie", "lamda"), "supporter"),
    **dict.fromkeys(("咨询师", "心理咨询师", "治疗师", "倾听者"), "supporter"),
    **dict.fromkeys(("支持者", "助手", "医生"), "supporter"),
}
# What stands in a field of its own says so too: who speaks to a listener, a therapist, a patient.
ROLES = {**SPEAKER_NAMES, "speaker": "seeker", "t": "supporter", "p": "seeker"}
