import Engine
import ModelFormat

/// What of a model is computed, part by part, by the numbers that ``MLModelStructure`` gives them.
struct ComputedParts: Sendable {
  /// The parts that are computed.
  private(set) var numbers: Set<Int> = []
  /// The share of each operation in its function's work.
  private(set) var weights: [Int: Double] = [:]

  /// The parts of a model, which is loaded for that.
  init(
    _ structure: MLModelStructure, of file: ModelFile, configuration: MLModelConfiguration
  ) throws {
    try add(
      structure, of: file.model, functionName: configuration.functionName,
      RunnerSettings(configuration, file: file))
  }

  private mutating func add(
    _ structure: MLModelStructure, of model: Spec.Model, functionName: String? = nil,
    _ settings: RunnerSettings
  ) throws {
    switch structure {
    case .neuralNetwork(let network):
      let description = try MLModelDescription(model)
      _ = try makeRunner(for: model, description: description, settings: settings)
      numbers.formUnion(network.layers.map(\.number))
    case .program(let program):
      let description = try MLModelDescription(model, functionName: functionName)
      let runner: any ModelRunner = try makeRunner(
        for: model, description: description, settings: settings)
      let name: String = model.functionName(asked: functionName)
      guard let function = program.functions[name], let network = try runner.networkRunner() else {
        return
      }
      add(function.block, costs: try network.estimatedCosts())
    case .pipeline(let pipeline):
      for (part, stage) in zip(pipeline.subModels, model.pipeline?.models ?? []) {
        try add(part, of: stage, settings)
      }
    case .unsupported: break
    }
  }

  private mutating func add(
    _ block: MLModelStructure.Program.Block, costs: [String: Double]
  ) {
    let operations: [MLModelStructure.Program.Operation] = Self.computed(in: block)
    // A node has the name of its operation, or of the output that it rounds.
    let named = operations.map { operation in
      Set(operation.outputs.map(\.name) + [operation.name]).reduce(0) { $0 + (costs[$1] ?? 0) }
    }
    let sum: Double = named.reduce(0, +)
    for (operation, cost) in zip(operations, named) {
      numbers.insert(operation.number)
      weights[operation.number] = sum > 0 ? cost / sum : 1 / Double(operations.count)
    }
  }

  /// The operations of a block and of the blocks in it that are no constants.
  private static func computed(
    in block: MLModelStructure.Program.Block
  ) -> [MLModelStructure.Program.Operation] {
    block.operations.flatMap { operation in
      let isConstant: Bool =
        operation.operatorName == "const" || operation.operatorName.hasPrefix("constexpr_")
      return (isConstant ? [] : [operation]) + operation.blocks.flatMap { computed(in: $0) }
    }
  }
}

extension NetworkRunner {
  /// What the nodes cost that stand for each operation, by its name, at the shapes that the model declares.
  fileprivate func estimatedCosts() throws -> [String: Double] {
    var typed: Graph = network.graph
    try typed.inferTypes(from: try inputTypes(pictures: nil))
    return typed.estimatedCosts()
  }
}
