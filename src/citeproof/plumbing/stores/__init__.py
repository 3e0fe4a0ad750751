"""What outlives a run, in SQLite or PostgreSQL: cached answers, evidence, memory, jobs, decisions."""
