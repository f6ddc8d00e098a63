"""Counts the checks of a script, and prints those that failed."""

failures = []
done = 0


def check(name, passed, detail=""):
    """Notes one check; `detail` is printed where it failed."""
    global done
    done += 1
    if not passed:
        failures.append(name)
        print(f"FAILED {name}: {detail}", flush=True)


def add(failed, count):
    """Notes the checks of another process."""
    global done
    done += count
    failures.extend(failed)


def conclude(subject):
    """Prints the score, and returns whether a check failed, which is the exit status."""
    print(f"score: {subject}: {done - len(failures)} of {done} checks")
    return bool(failures)
