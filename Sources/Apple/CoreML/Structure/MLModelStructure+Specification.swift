import Engine
import ModelFormat

extension MLModelStructure {
  /// Reads the structure of a model. Numbers the layers and operations in the order of the file, so every reading of a
  /// file gives the same numbers.
  init(_ model: Spec.Model) {
    var numbering = Numbering()
    self.init(model, &numbering)
  }

  /// Gives the layers and operations of a model their numbers.
  struct Numbering {
    private var count = 0

    mutating func next() -> Int {
      defer { count += 1 }
      return count
    }
  }

  private init(_ model: Spec.Model, _ numbering: inout Numbering) {
    if let network = NeuralNetworkMessage(model) {
      self = .neuralNetwork(
        NeuralNetwork(layers: network.layers.map { NeuralNetwork.Layer($0, &numbering) }))
      return
    }
    if case .mlProgram(let program)? = model.type {
      self = .program(Program(program, &numbering))
      return
    }
    guard let pipeline = model.pipeline else {
      self = .unsupported
      return
    }
    var models: [MLModelStructure] = []
    for model in pipeline.models { models.append(MLModelStructure(model, &numbering)) }
    let names: [String] = pipeline.models.indices.map { index in
      index < pipeline.names.count ? pipeline.names[index] : "model\(index)"
    }
    self = .pipeline(Pipeline(subModelNames: names, subModels: models))
  }
}

extension Spec.Model {
  /// The pipeline that the model contains. Nil if the model is not a pipeline, a pipeline classifier or a pipeline
  /// regressor.
  var pipeline: Spec.Pipeline? {
    switch type {
    case .pipeline(let pipeline)?: return pipeline
    case .pipelineClassifier(let classifier)?: return classifier.pipeline
    case .pipelineRegressor(let regressor)?: return regressor.pipeline
    default: return nil
    }
  }
}

extension MLModelStructure.NeuralNetwork.Layer {
  fileprivate init(
    _ layer: Spec.NeuralNetworkLayer, _ numbering: inout MLModelStructure.Numbering
  ) {
    name = layer.name
    type = Self.compiledName(layer.layer?.fieldName ?? "unknown")
    inputNames = layer.input
    outputNames = layer.output
    number = numbering.next()
  }

  /// Returns the name that a layer type has in compiled models. For some types, this name differs from the name in the
  /// specification.
  private static func compiledName(_ name: String) -> String {
    switch name {
    case "add", "multiply", "average", "max", "min", "dot", "unary": return "elementwise"
    case "innerProduct": return "inner_product"
    default: return name
    }
  }
}

extension MLModelStructure.Program {
  fileprivate init(
    _ program: Spec.MILSpec.Program, _ numbering: inout MLModelStructure.Numbering
  ) {
    var functions: [String: Function] = [:]
    for (name, function) in program.functions.sorted(by: { $0.key < $1.key }) {
      let block: Spec.MILSpec.Block =
        function.blockSpecializations[function.opset] ?? Spec.MILSpec.Block()
      functions[name] = Function(
        inputs: function.inputs.map(NamedValueType.init), block: Block(block, &numbering))
    }
    self.functions = functions
  }
}

extension MLModelStructure.Program.Block {
  fileprivate init(_ block: Spec.MILSpec.Block, _ numbering: inout MLModelStructure.Numbering) {
    inputs = block.inputs.map(MLModelStructure.Program.NamedValueType.init)
    outputNames = block.outputs
    operations = block.operations.map { MLModelStructure.Program.Operation($0, &numbering) }
  }
}

extension MLModelStructure.Program.Operation {
  fileprivate init(
    _ operation: Spec.MILSpec.Operation, _ numbering: inout MLModelStructure.Numbering
  ) {
    operatorName = operation.type
    name = ProgramOperation.name(of: operation)
    inputs = operation.inputs.mapValues { argument in
      MLModelStructure.Program.Argument(
        bindings: argument.arguments.compactMap { binding in
          switch binding.binding {
          case .name(let name)?: return .name(name)
          case .value(let value)?: return .value(.init(message: value))
          case nil: return nil
          }
        })
    }
    outputs = operation.outputs.map(MLModelStructure.Program.NamedValueType.init)
    number = numbering.next()
    blocks = operation.blocks.map { MLModelStructure.Program.Block($0, &numbering) }
  }
}

extension MLModelStructure.Program.NamedValueType {
  fileprivate init(_ value: Spec.MILSpec.NamedValueType) {
    name = value.name
    type = MLModelStructure.Program.ValueType(message: value.type ?? Spec.MILSpec.ValueType())
  }
}
