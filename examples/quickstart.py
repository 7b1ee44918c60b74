"""Train a planner from random weights, keep it, load it, solve a task with it, and look at what it did."""

import nhc

config = nhc.run_config("plan")  # the machine and its training, every setting named and checked
result = nhc.train(config)
nhc.save_model("plan.safetensors", result.model)

model = nhc.load_model("plan.safetensors")  # or one that ships with the package: "zoo:plan"
domain = nhc.make_domain("sokoban-6x6")
task = nhc.task_of_level(domain, 3, seed=0)
solution = nhc.solve(model, task)
print(solution.ending, solution.plan)

trace = nhc.trace(nhc.computer_for(model, domain), nhc.problem_for(task), max_ticks=100)
print(trace.table())
