import Engine
import ModelFormat
import ProgramFormat

/// A program of one function, put together operation by operation, for tests of shapes and places.
struct ShapeProgram {
  typealias MIL = Spec.MILSpec

  /// What an input of an operation is bound to.
  enum Argument {
    case name(String)
    case names([String])
    case ints([Int32])
    case int(Int32)
    case float(Float)
    case bool(Bool)
    case bools([Bool])
    case string(String)
  }

  private var function = MIL.Function()
  private var block = MIL.Block()

  init(_ opset: String = "CoreML7") { function.opset = opset }

  /// Adds an input; nil for an extent that is not known.
  mutating func input(_ name: String, _ extents: [Int?], _ type: MIL.DataType = .float32) {
    function.inputs.append(Self.named(name, extents, type))
  }

  /// Adds an operation with one output or several.
  mutating func add(
    _ type: String, _ inputs: [String: Argument],
    _ outputs: (name: String, extents: [Int?], type: MIL.DataType)...
  ) {
    var operation = MIL.Operation()
    operation.type = type
    operation.inputs = inputs.mapValues(Self.argument)
    operation.outputs = outputs.map { Self.named($0.name, $0.extents, $0.type) }
    block.operations.append(operation)
  }

  /// The program as a network that makes the outputs.
  func network(_ outputs: [String]) throws -> Network {
    var (function, block) = (function, block)
    block.outputs = outputs
    function.blockSpecializations = [function.opset: block]
    var program = MIL.Program()
    program.functions = ["main": function]
    let read = try ProgramGraph(
      program, blobs: { name in throw EngineError(.unsupported, "there is no file '\(name)'.") },
      makeCustomLayer: { message in throw EngineError(.customLayer, "\(message) is no layer.") })
    return Network(
      read.graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
  }

  /// What the program makes of the inputs.
  func run(_ outputs: String..., of inputs: ReferenceTensor...) throws -> [ReferenceTensor] {
    try network(outputs).plan(for: inputs.map(\.type)).withSession { session in
      for (index, input) in inputs.enumerated() {
        let port = session.input(index)
        TensorCodec.pack(input, as: port.form, into: port.memory)
      }
      try session.run()
      return try outputs.indices.map { index in
        let port = try session.output(index)
        return TensorCodec.unpack(port.memory, as: port.form)
      }
    }
  }

  private static func named(_ name: String, _ extents: [Int?], _ type: MIL.DataType)
    -> MIL.NamedValueType
  {
    var result = MIL.NamedValueType()
    result.name = name
    result.type = self.type(extents, type)
    return result
  }

  private static func type(_ extents: [Int?], _ element: MIL.DataType) -> MIL.ValueType {
    var tensor = MIL.TensorType()
    tensor.dataType = element
    tensor.rank = Int64(extents.count)
    tensor.dimensions = extents.map { extent in
      var dimension = MIL.Dimension()
      if let extent {
        var constant = MIL.Dimension.ConstantDimension()
        constant.size = UInt64(extent)
        dimension.dimension = .constant(constant)
      } else {
        dimension.dimension = .unknown(.init())
      }
      return dimension
    }
    var result = MIL.ValueType()
    result.type = .tensorType(tensor)
    return result
  }

  private static func argument(_ argument: Argument) -> MIL.Argument {
    var result = MIL.Argument()
    let names: [String]
    switch argument {
    case .name(let name): names = [name]
    case .names(let several): names = several
    default: names = []
    }
    result.arguments = names.map { name in
      var binding = MIL.Argument.Binding()
      binding.binding = .name(name)
      return binding
    }
    if names.isEmpty {
      var binding = MIL.Argument.Binding()
      binding.binding = .value(value(argument))
      result.arguments = [binding]
    }
    return result
  }

  private static func value(_ argument: Argument) -> MIL.Value {
    var tensor = MIL.TensorValue()
    var result = MIL.Value()
    switch argument {
    case .ints(let numbers):
      var message = MIL.TensorValue.RepeatedInts()
      message.values = numbers
      tensor.value = .ints(message)
      result.type = type([numbers.count], .int32)
    case .int(let number):
      var message = MIL.TensorValue.RepeatedInts()
      message.values = [number]
      tensor.value = .ints(message)
      result.type = type([], .int32)
    case .float(let number):
      var message = MIL.TensorValue.RepeatedFloats()
      message.values = FloatValues([number])
      tensor.value = .floats(message)
      result.type = type([], .float32)
    case .bool(let value):
      var message = MIL.TensorValue.RepeatedBools()
      message.values = [value]
      tensor.value = .bools(message)
      result.type = type([], .bool)
    case .bools(let values):
      var message = MIL.TensorValue.RepeatedBools()
      message.values = values
      tensor.value = .bools(message)
      result.type = type([values.count], .bool)
    case .string(let value):
      var message = MIL.TensorValue.RepeatedStrings()
      message.values = [value]
      tensor.value = .strings(message)
      result.type = type([], .string)
    case .name, .names: break
    }
    var immediate = MIL.Value.ImmediateValue()
    immediate.value = .tensor(tensor)
    result.value = .immediateValue(immediate)
    return result
  }
}

extension ReferenceTensor {
  /// 0, 1, 2, … under a shape.
  static func counting(_ shape: Shape) -> ReferenceTensor {
    ReferenceTensor(shape, (0..<shape.count).map(Double.init))
  }
}
