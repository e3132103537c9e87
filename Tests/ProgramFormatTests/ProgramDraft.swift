import Engine
import ModelFormat

@testable import ProgramFormat

/// A program with one function, built in memory.
struct ProgramDraft {
  typealias Operation = Spec.MILSpec.Operation
  typealias Value = Spec.MILSpec.Value
  typealias ValueType = Spec.MILSpec.ValueType

  var inputs: [Spec.MILSpec.NamedValueType] = []
  var operations: [Operation] = []
  var outputs: [String] = []
  var opset = Opset.iOS18

  var program: Spec.MILSpec.Program {
    let block: Spec.MILSpec.Block = .making {
      ($0.operations, $0.outputs) = (operations, outputs)
    }
    let function: Spec.MILSpec.Function = .making {
      ($0.inputs, $0.opset) = (inputs, opset.name)
      $0.blockSpecializations = [opset.name: block]
    }
    return .making { ($0.version, $0.functions) = (1, ["main": function]) }
  }

  /// Reads the graph of the program.
  func graph() throws -> ProgramGraph {
    try ProgramGraph(
      program, blobs: { name in throw EngineError(.invalidModel, "there is no file '\(name)'.") },
      makeCustomLayer: { _ in throw EngineError(.customLayer, "there are no custom layers.") })
  }

  /// Plans and runs the program, including its states. Returns one array for each output of the graph.
  func run(_ values: [(shape: Shape, values: [Float])]) throws -> [[Float]] {
    let graph = try graph().graph
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    return try network.plan(for: values.map { TensorType($0.shape) }).withSession { session in
      for (position, value) in values.enumerated() {
        let memory = session.input(position).memory.assumingMemoryBound(to: Float.self)
        for (index, number) in value.values.enumerated() { memory[index] = number }
      }
      try session.run()
      return try graph.outputs.indices.map { position in
        let output = try session.output(position)
        return TensorCodec.unpack(output.memory, as: output.form).reals.map { Float($0) }
      }
    }
  }
}

// MARK: - Making

extension ProgramDraft {
  static func tensor(_ extents: [Int?], _ type: Spec.MILSpec.DataType = .float32) -> ValueType {
    let tensor: Spec.MILSpec.TensorType = .making {
      ($0.dataType, $0.rank) = (type, Int64(extents.count))
      $0.dimensions = extents.map { extent in
        .making { dimension in
          dimension.dimension =
            extent.map { size in .constant(.making { $0.size = UInt64(size) }) }
            ?? .unknown(.init())
        }
      }
    }
    return .making { $0.type = .tensorType(tensor) }
  }

  static func list(of extents: [Int?]) -> ValueType {
    .making { $0.type = .listType(.making { $0.type = tensor(extents) }) }
  }

  static func state(_ extents: [Int?], _ type: Spec.MILSpec.DataType = .float32) -> ValueType {
    .making { $0.type = .stateType(.making { $0.wrappedType = tensor(extents, type) }) }
  }

  static func named(_ name: String, _ type: ValueType) -> Spec.MILSpec.NamedValueType {
    .making { ($0.name, $0.type) = (name, type) }
  }

  private static func value(_ type: ValueType, _ tensor: Spec.MILSpec.TensorValue.OneOfValue)
    -> Value
  {
    let immediate: Value.ImmediateValue = .making {
      $0.value = .tensor(.making { $0.value = tensor })
    }
    return .making { ($0.type, $0.value) = (type, .immediateValue(immediate)) }
  }

  static func floats(_ shape: [Int], _ values: [Float]) -> Value {
    value(tensor(shape), .floats(.making { $0.values = FloatValues(values) }))
  }

  static func ints(_ shape: [Int], _ values: [Int32]) -> Value {
    value(tensor(shape, .int32), .ints(.making { $0.values = values }))
  }

  static func bytes(_ shape: [Int], _ type: Spec.MILSpec.DataType, _ values: [UInt8]) -> Value {
    value(tensor(shape, type), .bytes(.making { $0.values = ByteValues(values) }))
  }

  static func bool(_ isTrue: Bool) -> Value { bools([], [isTrue]) }

  static func bools(_ shape: [Int], _ values: [Bool]) -> Value {
    value(tensor(shape, .bool), .bools(.making { $0.values = values }))
  }

  static func string(_ text: String) -> Value {
    value(tensor([], .string), .strings(.making { $0.values = [text] }))
  }

  static func strings(_ texts: [String]) -> Value {
    .making {
      $0.value = .immediateValue(
        .making { $0.value = .list(.making { $0.values = texts.map(string) }) })
    }
  }

  /// Creates an operation. Each input is the name of a value, or a constant value.
  static func operation(
    _ type: String, _ inputs: [String: [Any]],
    _ outputs: [(String, ValueType)], blocks: [Spec.MILSpec.Block] = []
  ) -> Operation {
    .making {
      ($0.type, $0.blocks) = (type, blocks)
      $0.outputs = outputs.map { named($0.0, $0.1) }
      $0.inputs = inputs.mapValues { bindings in
        .making {
          $0.arguments = bindings.map { binding in
            .making { argument in
              if let name = binding as? String { argument.binding = .name(name) }
              if let value = binding as? Value { argument.binding = .value(value) }
            }
          }
        }
      }
    }
  }

  static func block(
    _ inputs: [(String, ValueType)], _ operations: [Operation], gives outputs: [String]
  ) -> Spec.MILSpec.Block {
    .making {
      $0.inputs = inputs.map { named($0.0, $0.1) }
      ($0.operations, $0.outputs) = (operations, outputs)
    }
  }
}
