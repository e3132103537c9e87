import Graph
import ModelFormat
import Operators

/// Writes a model's graph as the function `main` of an ML Program.
public struct ProgramWriter {
  /// The program.
  public let program: Spec.MILSpec.Program
  /// The model, with the names and the types of inputs and outputs that the program has.
  public let model: GraphModel
  /// The version of the specification that belongs to the program's opset.
  public var specificationVersion: Int32 {
    switch opset {
    case .iOS18, .iOS26: 9
    case .iOS17: 8
    case .iOS16: 7
    default: 6
    }
  }

  private let opset: Opset

  /// Writes a model.
  ///
  /// - Parameter blobs: The weight file to which the constants are written.
  /// - Throws: `unsupported` if no operations express an operator. The error names the operator.
  public init(_ model: GraphModel, precision: WritingOptions.Precision, blobs: BlobFileWriter)
    throws
  {
    let real: ElementType = precision == .float16 ? .float16 : .float32
    var opset: Opset = .iOS15
    while true {
      do {
        _ = try Self.write(model, ProgramOutput(opset, real: real, blobs: nil))
        break
      } catch let later as ProgramOutput.NeedsLaterSet {
        opset = later.opset
      }
    }
    let written = try Self.write(model, ProgramOutput(opset, real: real, blobs: blobs))
    self.init(program: written.0, model: written.1, opset: opset)
  }

  private init(program: Spec.MILSpec.Program, model: GraphModel, opset: Opset) {
    self.program = program
    self.model = model
    self.opset = opset
  }

  private static func write(_ given: GraphModel, _ output: ProgramOutput) throws -> (
    Spec.MILSpec.Program, GraphModel
  ) {
    var model: GraphModel = given
    for position in model.inputs.indices { model.computeScaling(ofInput: position) }
    try model.prepareInterface(output)
    model.graph.decomposeRecurrencesForPrograms()
    let block = BlockWriter(output, model.graph, KnownTypes(of: model))
    let function = try block.function(model)
    var program = Spec.MILSpec.Program()
    program.version = 1
    program.functions = ["main": function]
    return (program, model)
  }
}

extension GraphModel {
  /// Changes the names and types of the inputs, outputs and states to those that programs allow.
  fileprivate mutating func prepareInterface(_ output: ProgramOutput) throws {
    func type(_ feature: Feature) throws -> ElementType {
      if feature.image != nil { return feature.element == .float16 ? .float16 : .uint8 }
      switch feature.element {
      case .float16: return .float16
      case .float32, .float64, .bfloat16, .bool: return .float32
      default: return .int32
      }
    }
    let states = Set(graph.states.map(\.input))
    for position in inputs.indices {
      inputs[position].name = output.name(inputs[position].name)
      inputs[position].element = states.contains(position) ? .float16 : try type(inputs[position])
      if inputs[position].element == .float16, !states.contains(position) {
        try output.require(.iOS16)
      }
    }
    for position in outputs.indices {
      if let state = graph.states.first(where: { $0.output == position }) {
        outputs[position].name = inputs[state.input].name
        continue
      }
      outputs[position].name = output.name(outputs[position].name)
      outputs[position].element = try type(outputs[position])
      if outputs[position].element == .float16 { try output.require(.iOS16) }
    }
    if let label = classes?.labelName { classes?.labelName = output.name(label) }
  }
}

extension BlockWriter {
  /// Returns a model as a function. The function has the model's inputs, the operations of its graph, and its outputs.
  fileprivate func function(_ model: GraphModel) throws -> Spec.MILSpec.Function {
    var function = Spec.MILSpec.Function()
    let states: [Int: Graph.State] = Dictionary(
      uniqueKeysWithValues: model.graph.states.map { ($0.input, $0) })
    for (position, feature) in model.inputs.enumerated() {
      let id: Graph.ValueID = model.graph.inputs[position]
      guard let extents = feature.extents else {
        throw EngineError(
          .unsupported,
          "Input '\(feature.name)' has no known rank; state its extents (`--shape NAME=…`).")
      }
      let sizes: [Int?] = extents.map(\.fixed)
      if states[position] != nil {
        try output.require(.iOS18)
        function.inputs.append(
          .making {
            $0.name = feature.name
            $0.type = .state(feature.element, sizes)
          })
        let state = MILValue(name: feature.name, element: feature.element, extents: sizes)
        bind(
          id,
          to: try add(
            "read_state", ["input": .value(state)], feature.element, sizes,
            name: "\(feature.name)_read"))
        continue
      }
      let element: ElementType = feature.element == .uint8 ? .float32 : feature.element
      let value = MILValue(name: feature.name, element: element, extents: sizes)
      function.inputs.append(
        .making {
          $0.name = feature.name
          $0.type = value.type
        })
      bind(id, to: value)
    }
    try addNodes()
    var block = Spec.MILSpec.Block()
    for (position, feature) in model.outputs.enumerated() {
      let value: MILValue = try self.value(of: model.graph.outputs[position])
      if let state = model.graph.states.first(where: { $0.output == position }) {
        try write(value, to: model.inputs[state.input])
      } else if let classes = model.classes, classes.output == position {
        block.outputs += try classify(value, classes, probabilities: feature.name)
      } else {
        try name(value, as: feature)
        block.outputs.append(feature.name)
      }
    }
    block.operations = operations
    function.opset = output.opset.name
    function.blockSpecializations = [output.opset.name: block]
    return function
  }

  /// Writes an output. Gives a value the name and the type that callers use.
  private func name(_ value: MILValue, as feature: GraphModel.Feature) throws {
    let element: ElementType = feature.element == .uint8 ? .float32 : feature.element
    if value.element == element {
      _ = try add(
        "identity", ["x": .value(value)], element, value.extents, name: feature.name,
        exactName: true)
    } else {
      _ = try add(
        "cast", ["x": .value(value), "dtype": .string(element.castName)], element, value.extents,
        name: feature.name, exactName: true)
    }
  }

  /// Writes the new value of a state.
  private func write(_ value: MILValue, to state: GraphModel.Feature) throws {
    let cast: MILValue = try cast(value, to: state.element)
    let holder = MILValue(name: state.name, element: state.element, extents: cast.extents)
    _ = try add(
      "coreml_update_state", ["state": .value(holder), "value": .value(cast)], state.element,
      cast.extents, name: "\(state.name)_written")
  }

  /// Writes a classifier's label and its dictionary of probabilities.
  private func classify(
    _ probabilities: MILValue, _ classes: GraphModel.Classes, probabilities name: String
  ) throws -> [String] {
    let real: MILValue = try cast(probabilities, to: .float32)
    let labels: Spec.MILSpec.Value
    let key: Spec.MILSpec.ValueType
    if classes.areNumbers {
      let numbers: [Int64] = classes.labels.compactMap { Int64($0) }
      labels = .numbers(ReferenceTensor([numbers.count], integerValues: numbers, .int64), .int64)
      key = .tensor(.int64, [])
    } else {
      labels = .strings(classes.labels)
      key = .string
    }
    let classLabels: String = output.name("classes")
    add(
      .making {
        $0.type = "const"
        $0.attributes = ["name": .string(classLabels), "val": labels]
        $0.outputs = [
          .making {
            $0.name = classLabels; $0.type = labels.type
          }
        ]
      })
    func bound(_ name: String) -> Spec.MILSpec.Argument {
      .making { $0.arguments = [.making { $0.binding = .name(name) }] }
    }
    add(
      .making {
        $0.type = "classify"
        $0.inputs = ["probabilities": bound(real.name), "classes": bound(classLabels)]
        $0.outputs = [
          .making {
            $0.name = classes.labelName
            $0.type = key
          },
          .making {
            $0.name = name
            $0.type = .making {
              $0.type = .dictionaryType(
                .making {
                  $0.keyType = key
                  $0.valueType = .tensor(.float64, [])
                })
            }
          },
        ]
        $0.attributes = ["name": .string("classify")]
      })
    return [classes.labelName, name]
  }
}

extension BlockWriter {
  /// Writes the operations of all nodes of the graph.
  func addNodes() throws {
    for node in graph.nodes {
      do {
        let made: [MILValue] = try write(node)
        for (id, value) in zip(node.outputs, made) { bind(id, to: value) }
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
  }

  private func write(_ node: Graph.Node) throws -> [MILValue] {
    let writing = ProgramNode(node: node, block: self, real: try realType(of: node))
    if node.control != nil { return try writing.control() }
    guard let operation = node.operation as? any ProgramWritable else {
      throw EngineError(
        .unsupported, "no operation of an ML Program computes this.")
    }
    return try operation.write(writing)
  }

  /// Returns the floating-point type in which a node computes. Constants, and results that depend only on extents, may
  /// be too large for `float16`. A node that has such a constant or result computes in `float32`.
  private func realType(of node: Graph.Node) throws -> ElementType {
    guard output.real == .float16 else { return .float32 }
    if !node.outputs.isEmpty, node.outputs.allSatisfy({ known.followsFromExtents($0) }) {
      return .float32
    }
    for input in node.inputs {
      guard let constant = graph[input].constant, constant.count <= 1 << 16,
        !constant.type.element.isInteger, constant.stored == nil
      else { continue }
      let largest = Float(Float16.greatestFiniteMagnitude)
      if try constant.floats().contains(where: { $0.isFinite && $0.magnitude > largest }) {
        return .float32
      }
    }
    return .float16
  }
}
