import Graph
import Operators

/// Branches and loops. The blocks of these operations become regions.
enum ControlFlowReaders {
  static let all: [OperationReader] = [
    OperationReader("cond", as: [BranchOperator.self], .exact) { operation in
      let predicate = try operation.tensor("pred")
      let nested = try NestedBlocks(operation, blocks: 2)
      try nested.read()
      let made = operation.builder.add(
        BranchOperator(), [predicate.id] + nested.stateArguments + (try nested.captured()),
        outputs: nested.outputCount, name: operation.name, regions: try nested.regions())
      return try nested.results(made)
    },
    OperationReader("while_loop", as: [LoopOperator.self], .exact) { operation in
      let carried: [ProgramValue] = try operation.values("loop_vars")
      let nested = try NestedBlocks(operation, blocks: 2)
      try nested.read(carrying: carried)
      let made = operation.builder.add(
        LoopOperator(LoopRule(hasCondition: true)),
        try carried.map(NestedBlocks.id) + nested.stateArguments + (try nested.captured()),
        outputs: nested.outputCount, name: operation.name, regions: try nested.regions(isLoop: true)
      )
      return try nested.results(made)
    },
  ]
}
