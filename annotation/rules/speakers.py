"""Who speaks in a dialogue, and what they are called in those of others."""

SPEAKERS = ("seeker", "supporter")
SPEAKER_NAMES = {
    **dict.fromkeys(("seeker", "user", "usr", "human", "client", "patient"), "seeker"),
    **dict.fromkeys(("来访者", "求助者", "用户", "患者", "病人"), "seeker"),
    **dict.fromkeys(("supporter", "assistant", "gpt", "model", "sys", "bot", "ai"), "supporter"),
    **dict.fromkeys(("counselor", "counsellor", "therapist", "listener"), "supporter"),
    **dict.fromkeys(("doctor", "psychologist", "psychiatrist", "chatbot"), "supporter"),
    **dict.fromkeys(("咨询师", "心理咨询师", "支持者", "助手", "医生"), "supporter"),
}
