import Graph
import Operators

/// Branches and loops: blocks become regions.
enum ControlFlowReaders {
  static let all: [OperationReader] = [
    OperationReader("cond", as: [BranchOperator.self], .exact) { operation in
      let predicate = try operation.tensor("pred")
      let nest = try Nest(operation, blocks: 2)
      try nest.read()
      let made = operation.builder.add(
        BranchOperator(), [predicate.id] + nest.stateArguments + (try nest.captured()),
        outputs: nest.outputCount, name: operation.name, regions: try nest.regions())
      return try nest.results(made)
    },
    OperationReader("while_loop", as: [LoopOperator.self], .exact) { operation in
      let carried: [ProgramValue] = try operation.values("loop_vars")
      let nest = try Nest(operation, blocks: 2)
      try nest.read(carrying: carried)
      let made = operation.builder.add(
        LoopOperator(LoopRule(hasCondition: true)),
        try carried.map(Nest.id) + nest.stateArguments + (try nest.captured()),
        outputs: nest.outputCount, name: operation.name, regions: try nest.regions(isLoop: true))
      return try nest.results(made)
    },
  ]
}
