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
/// Use an interpreter on one thread at a time, as in TensorFlow Lite.
///
/// **Source:** the reference of TensorFlow Lite's Swift library, developers.google.com/edge/api/tflite/swift.
public final class Interpreter {
  /// The options; nil for the defaults.
  public let options: Options?
  /// The delegates. They have no effect.
  public let delegates: [any Delegate]?
  private let model: LiteModel
  /// The shapes that the caller has set, by the index of the input.
  private var shapes: [Int: [Int]] = [:]
  /// The planned model. Nil before the first ``allocateTensors()``, and from a change of a shape to the next
  /// ``allocateTensors()``.
  private var loaded: LoadedModel?
  /// The outputs of the last ``invoke()``; nil before the first one and after a change of a shape.
  private var outputs: [TensorValues]?

  /// Opens a model file.
  ///
  /// - Throws: ``InterpreterError/failedToLoadModel`` if the file cannot be opened, and
  ///   ``InterpreterError/tensorFlowLiteError(_:)`` if the file is damaged.
  public convenience init(
    modelPath: String, options: Options? = nil, delegates: [any Delegate]? = nil
  ) throws {
    guard let file = try? MappedFile(path: modelPath) else {
      throw InterpreterError.failedToLoadModel
    }
    try self.init(file.bytes, options: options, delegates: delegates)
  }

  /// Opens a model in memory.
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
    model = try Self.translatingErrors(options) { try LiteModel(bytes) }
    guard let count = options?.threadCount, count < 1 else { return }
    throw InterpreterError.tensorFlowLiteError(
      "The number of threads is \(count), expected 1 or more.")
  }

  // MARK: - Tensors

  /// The number of inputs.
  public var inputTensorCount: Int { model.subgraphs[0].inputs.count }

  /// The number of outputs.
  public var outputTensorCount: Int { model.subgraphs[0].outputs.count }

  /// Returns the input at an index, including the input's current values.
  public func input(at index: Int) throws -> Tensor {
    try check(index, inputTensorCount)
    return try tensor(try allocated().inputs[index])
  }

  /// Returns the output at an index, including the values of the last ``invoke()``.
  public func output(at index: Int) throws -> Tensor {
    try check(index, outputTensorCount)
    let loaded: LoadedModel = try allocated()
    if let outputs { return try tensor(outputs[index]) }
    guard let values = loaded.blankOutput(index) else {
      throw InterpreterError.invokeInterpreterRequired
    }
    return try tensor(values)
  }

  /// Sets the shape of an input. Call ``allocateTensors()`` afterwards. If the file fixes the shape of a tensor that is
  /// computed from the input, that shape does not change.
  public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
    try check(index, inputTensorCount)
    let tensorInFile: LiteModel.Tensor = model.subgraphs[0].tensors[
      model.subgraphs[0].inputs[index]]
    guard shape.rank == tensorInFile.shape.count, shape.dimensions.allSatisfy({ $0 > 0 }),
      Shape(shape.dimensions).isMeasurable
    else { throw InterpreterError.failedToResizeInputTensor(index: index) }
    shapes[index] = shape.dimensions
    loaded = nil
    outputs = nil
  }

  /// Copies bytes to an input. `data` must have exactly as many bytes as the input.
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

  /// Plans the computation for the shapes of the inputs. Allocates the inputs and fills them with zeros. Has no effect
  /// if no shape has changed since the last call.
  public func allocateTensors() throws {
    guard loaded == nil else { return }
    loaded = try Self.translatingErrors(options) {
      try LoadedModel(model, shapes: shapes, threads: options?.threadCount)
    }
  }

  /// Computes the outputs.
  public func invoke() throws {
    let loaded: LoadedModel = try allocated()
    outputs = try Self.translatingErrors(options) { try loaded.run() }
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
    guard let type = Tensor.DataType(values.tensorInFile.element) else {
      throw InterpreterError.invalidTensorDataType
    }
    return Tensor(
      name: values.tensorInFile.name, dataType: type, shape: Tensor.Shape(values.shape),
      data: values.data, quantizationParameters: values.tensorInFile.parameters)
  }

  /// Calls the closure and converts errors of the engine into ``InterpreterError``. Also writes the messages to
  /// standard error if `isErrorLoggingEnabled` is true.
  private static func translatingErrors<Result>(_ options: Options?, _ body: () throws -> Result)
    throws
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
  /// The scale and the zero point. Nil if the tensor is not quantised, or if it has a scale and a zero point per
  /// channel.
  fileprivate var parameters: QuantizationParameters? {
    guard let quantization, quantization.scales.count == 1 else { return nil }
    return QuantizationParameters(
      scale: quantization.scales[0], zeroPoint: quantization.zeros[0])
  }
}

extension Tensor.DataType {
  /// Converts an element type of the file. Returns nil for a type that this enumeration does not have.
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
