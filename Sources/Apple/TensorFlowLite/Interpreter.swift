import Engine
import Foundation
import ModelFormat
import TensorFlowLiteFormat

/// Runs a TensorFlow Lite model.
///
///     let interpreter = try Interpreter(modelPath: "style_predict.tflite")
///     try interpreter.allocateTensors()
///     try interpreter.copy(pixels, toInputAt: 0)
///     try interpreter.invoke()
///     let style = try interpreter.output(at: 0).data
///
/// Not for two threads at once, as in TensorFlow Lite.
///
/// **Source:** the reference of TensorFlow Lite's Swift library, developers.google.com/edge/api/tflite/swift.
public final class Interpreter {
  /// How it runs; nil for the usual way.
  public let options: Options?
  /// What was given to compute parts of the model.
  public let delegates: [any Delegate]?
  private let model: LiteModel
  /// The inputs' shapes that a caller has set, by their numbers.
  private var shapes: [Int: [Int]] = [:]
  private var loaded: LoadedModel?
  private var outputs: [TensorValues]?

  /// Opens a model.
  ///
  /// - Throws: ``InterpreterError``: `failedToLoadModel` where the file cannot be opened, a sentence where it is
  ///   damaged.
  public convenience init(
    modelPath: String, options: Options? = nil, delegates: [any Delegate]? = nil
  ) throws {
    guard let file = try? MappedFile(path: modelPath) else {
      throw InterpreterError.failedToLoadModel
    }
    try self.init(file.bytes, options: options, delegates: delegates)
  }

  /// Opens a model that lies in memory.
  public convenience init(
    modelData: Data, options: Options? = nil, delegates: [any Delegate]? = nil
  ) throws {
    try self.init(
      modelData.withUnsafeBytes { ByteValues(copying: $0) }, options: options,
      delegates: delegates)
  }

  private init(_ bytes: ByteValues, options: Options?, delegates: [any Delegate]?) throws {
    self.options = options
    self.delegates = delegates
    model = try Self.told(options) { try LiteModel(bytes) }
    guard let count = options?.threadCount, count < 1 else { return }
    throw InterpreterError.tensorFlowLiteError("\(count) threads cannot run a model.")
  }

  // MARK: - Tensors

  /// The number of inputs.
  public var inputTensorCount: Int { model.subgraphs[0].inputs.count }

  /// The number of outputs.
  public var outputTensorCount: Int { model.subgraphs[0].outputs.count }

  /// An input, with what it holds.
  public func input(at index: Int) throws -> Tensor {
    try check(index, inputTensorCount)
    return try tensor(try allocated().inputs[index])
  }

  /// An output, with what the last ``invoke()`` has made.
  public func output(at index: Int) throws -> Tensor {
    try check(index, outputTensorCount)
    let loaded: LoadedModel = try allocated()
    if let outputs { return try tensor(outputs[index]) }
    guard let values = loaded.blankOutput(index) else {
      throw InterpreterError.invokeInterpreterRequired
    }
    return try tensor(values)
  }

  /// Gives an input another shape; ``allocateTensors()`` is due then. Shapes that the file states for what comes
  /// after it stay as they are.
  public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
    try check(index, inputTensorCount)
    let facts: LiteModel.Tensor = model.subgraphs[0].tensors[model.subgraphs[0].inputs[index]]
    guard shape.rank == facts.shape.count, shape.dimensions.allSatisfy({ $0 > 0 }),
      Shape(shape.dimensions).isMeasurable
    else { throw InterpreterError.failedToResizeInputTensor(index: index) }
    shapes[index] = shape.dimensions
    loaded = nil
    outputs = nil
  }

  /// Copies bytes to an input: as many as it has.
  @discardableResult
  public func copy(_ data: Data, toInputAt index: Int) throws -> Tensor {
    try check(index, inputTensorCount)
    let required: Int = try allocated().inputs[index].data.count
    guard data.count == required else {
      throw InterpreterError.invalidTensorDataCount(provided: data.count, required: required)
    }
    loaded?.inputs[index].data = data
    return try input(at: index)
  }

  // MARK: - Running

  /// Plans the run for the inputs' shapes and makes room for them. Their values are 0 then.
  public func allocateTensors() throws {
    guard loaded == nil else { return }
    loaded = try Self.told(options) {
      try LoadedModel(model, shapes: shapes, threads: options?.threadCount)
    }
  }

  /// Computes the outputs.
  public func invoke() throws {
    let loaded: LoadedModel = try allocated()
    outputs = try Self.told(options) { try loaded.run() }
  }

  private func allocated() throws -> LoadedModel {
    guard let loaded else { throw InterpreterError.allocateTensorsRequired }
    return loaded
  }

  private func check(_ index: Int, _ count: Int) throws {
    guard (0..<count).contains(index) else {
      throw InterpreterError.invalidTensorIndex(index: index, maxIndex: count - 1)
    }
  }

  private func tensor(_ values: TensorValues) throws -> Tensor {
    guard let type = Tensor.DataType(values.facts.element) else {
      throw InterpreterError.invalidTensorDataType
    }
    return Tensor(
      name: values.facts.name, dataType: type, shape: Tensor.Shape(values.shape),
      data: values.data, quantizationParameters: values.facts.parameters)
  }

  /// Calls the closure; an error of the engine becomes one of this interface, and is written to standard error
  /// where the options say so.
  private static func told<Result>(_ options: Options?, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch let error as EngineError {
      if options?.isErrorLoggingEnabled ?? false {
        try? FileHandle.standardError.write(contentsOf: Data("\(error.message)\n".utf8))
      }
      throw InterpreterError.tensorFlowLiteError(error.message)
    }
  }
}

extension LiteModel.Tensor {
  /// The scale and the zero point, where one pair holds for the whole tensor.
  fileprivate var parameters: QuantizationParameters? {
    guard let quantization, quantization.scales.count == 1 else { return nil }
    return QuantizationParameters(
      scale: quantization.scales[0], zeroPoint: quantization.zeros[0])
  }
}

extension Tensor.DataType {
  /// The type by the file's; nil for those that callers cannot have.
  fileprivate init?(_ element: LiteElement) {
    switch element {
    case .bool: self = .bool
    case .uint8: self = .uInt8
    case .int8: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .float16: self = .float16
    case .float32: self = .float32
    case .float64: self = .float64
    default: return nil
    }
  }
}
