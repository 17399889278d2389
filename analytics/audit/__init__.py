"""What an ethics board asks of the trail: who read this, what did they read, what left."""
