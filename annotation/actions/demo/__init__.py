"""The demo: people, dialogues and ratings that were made up, brought in by the real actions."""
