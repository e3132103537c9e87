import Engine
import ModelFormat

/// The layers and operations (parts) of a model that a prediction computes. ``MLModelStructure`` numbers the parts.
struct ComputedParts: Sendable {
  /// The numbers of the computed parts.
  private(set) var numbers: Set<Int> = []
  /// The weight of each operation by the operation's number. The weight is the fraction, 0 to 1, of the estimated cost
  /// of the function that contains the operation.
  private(set) var weights: [Int: Double] = [:]

  /// Loads a model to find its computed parts.
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
    // A graph node has the name of its operation. If the node only rounds an output, the node has the name of that
    // output.
    let named = operations.map { operation in
      Set(operation.outputs.map(\.name) + [operation.name]).reduce(0) { $0 + (costs[$1] ?? 0) }
    }
    let sum: Double = named.reduce(0, +)
    for (operation, cost) in zip(operations, named) {
      numbers.insert(operation.number)
      weights[operation.number] = sum > 0 ? cost / sum : 1 / Double(operations.count)
    }
  }

  /// Returns the operations of a block and its nested blocks, except for constants.
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
  /// Returns the estimated costs for the declared shapes. The key is a node's name, and the value is the sum of the
  /// costs of all nodes with that name.
  fileprivate func estimatedCosts() throws -> [String: Double] {
    var typed: Graph = network.graph
    try typed.inferTypes(from: try inputTypes(pictures: nil))
    return typed.estimatedCosts()
  }
}
