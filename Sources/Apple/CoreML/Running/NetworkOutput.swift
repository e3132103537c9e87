import CoreVideo
import Engine
import Foundation

/// An output of a neural network. Converts the network's tensor to a feature value.
struct NetworkOutput: Sendable {
  fileprivate enum Kind: Sendable {
    case image(OSType)
    case multiArray(MLMultiArrayDataType, declared: [Int])
    case double
    case int64
  }

  let name: String
  /// The index of this output's tensor among the plan's outputs.
  private let position: Int
  private let kind: Kind

  /// - Parameter widensFloat16: Whether a float16 array becomes a float32 array. The tensor must hold float16 values.
  /// - Throws: ``MLModelError`` when neural networks cannot have an output of this type.
  init(_ description: MLFeatureDescription, position: Int, widensFloat16: Bool = false) throws {
    name = description.name
    self.position = position
    switch description.constraint {
    case .image(let constraint): kind = .image(constraint.pixelFormatType)
    case .multiArray(let constraint):
      let isWidened: Bool = widensFloat16 && constraint.dataType == .float16
      kind = .multiArray(
        isWidened ? .float32 : constraint.dataType, declared: constraint.dimensions)
    default:
      switch description.type {
      case .double: kind = .double
      case .int64: kind = .int64
      default:
        throw MLModelError(
          .io,
          "The output feature \"\(name)\" is \(description.type.sentenceName), but a neural network "
            + "can only compute images, multi-arrays and numbers.")
      }
    }
  }

  /// Makes an output that returns a layer's tensor as a float32 array with the tensor's shape.
  init(revealing name: String, position: Int) {
    self.name = name
    self.position = position
    kind = .multiArray(.float32, declared: [])
  }

  /// Converts the tensor to a feature value. If `backing` is not nil, writes the elements or pixels into this array or
  /// pixel buffer of the caller.
  func value(in session: Session, backing: Any?) throws -> MLFeatureValue {
    let port: PortTensor = try session.output(position)
    let memory: UnsafeMutableRawPointer = port.memory
    let form: TensorDescriptor = port.form
    switch kind {
    case .image(let format):
      guard let image = port.image, form.shape.rank >= 3, form.shape[-3] == image.channels else {
        throw MLModelError(
          .io,
          "The output feature \"\(name)\" is declared as an image, but the network computes an array "
            + "of shape \(form.shape) for it.")
      }
      let buffer: CVPixelBuffer = try pixelBuffer(format, for: form.shape, backing: backing)
      try PixelTransfer.write(memory, as: form, through: image, into: buffer, name: name)
      return MLFeatureValue(pixelBuffer: buffer)
    case .multiArray(let dataType, let declared):
      let array: MLMultiArray = try multiArray(
        dataType, shape: shape(of: form.shape, declared: declared), backing: backing)
      TensorTransfer.write(memory, as: form, into: array)
      return MLFeatureValue(multiArray: array)
    case .double, .int64:
      let tensor: ReferenceTensor = TensorCodec.unpack(memory, as: form)
      if kind.isInteger, let integer = tensor.integerValues.first {
        return MLFeatureValue(int64: integer)
      }
      let number: Double = tensor.reals.first ?? 0
      return kind.isInteger
        ? MLFeatureValue(int64: nearestInteger(number)) : MLFeatureValue(double: number)
    }
  }

  /// Returns the shape of the array for the caller. This is the declared shape if it has as many elements as the
  /// tensor. Otherwise, this is the tensor's shape, with two exceptions. If the declared shape has one axis and the
  /// tensor's shape is `[…, C, H, W]` with C as its only length other than 1, the result is `[C]`. If the tensor has
  /// more axes than the declared shape and the additional leading axes have length 1, the result does not contain the
  /// additional axes. A tensor without axes becomes an array of one element, because Core ML has no arrays without
  /// axes.
  private func shape(of tensor: Shape, declared: [Int]) -> [Int] {
    let actual: [Int] = tensor.dimensions
    if declared.isEmpty { return actual.isEmpty ? [1] : actual }
    if checkedElementCount(of: declared) == tensor.count { return declared }
    if declared.count == 1 && actual.count >= 3 {
      let channels: Int = actual.count - 3
      if tensor.count == actual[channels] { return [actual[channels]] }
    }
    let extra: Int = actual.count - declared.count
    guard extra > 0, actual.prefix(extra).allSatisfy({ $0 == 1 }) else { return actual }
    return Array(actual.dropFirst(extra))
  }

  private func pixelBuffer(
    _ format: OSType, for shape: Shape, backing: Any?
  ) throws -> CVPixelBuffer {
    let (height, width): (Int, Int) = (shape[-2], shape[-1])
    if let backing {
      guard let buffer = backing as? CVPixelBuffer, CVPixelBufferGetWidth(buffer) == width,
        CVPixelBufferGetHeight(buffer) == height
      else { throw unfit(backing, expected: "a CVPixelBuffer of \(width) × \(height) pixels") }
      return buffer
    }
    var created: CVPixelBuffer?
    let status: CVReturn = CVPixelBufferCreate(
      kCFAllocatorDefault, width, height, format, nil, &created)
    guard status == kCVReturnSuccess, let created else {
      throw MLModelError(
        .generic,
        "The image for the output feature \"\(name)\" of \(width) × \(height) pixels could not be "
          + "created (CoreVideo status \(status)).")
    }
    return created
  }

  private func multiArray(
    _ dataType: MLMultiArrayDataType, shape: [Int], backing: Any?
  ) throws -> MLMultiArray {
    let layout = ArrayLayout(shape: shape)
    guard let backing else {
      return MLMultiArray(
        memory: try ArrayMemory(claiming: layout.count * dataType.byteCount), layout: layout,
        dataType: dataType)
    }
    if let array = backing as? MLMultiArray, array.layout.shape == shape { return array }
    if let buffer = backing as? CVPixelBuffer,
      CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_OneComponent16Half,
      shape.last == CVPixelBufferGetWidth(buffer),
      shape.dropLast().reduce(1, *) == CVPixelBufferGetHeight(buffer)
    {
      return MLMultiArray(pixelBuffer: buffer, shape: shape.map { NSNumber(value: $0) })
    }
    throw unfit(backing, expected: "an MLMultiArray of shape \(sentence(shape))")
  }

  private func unfit(_ backing: Any, expected: String) -> MLModelError {
    let found: String
    switch backing {
    case let array as MLMultiArray:
      found = "an MLMultiArray of shape \(sentence(array.layout.shape))"
    case let buffer as CVPixelBuffer:
      found =
        "a CVPixelBuffer of \(CVPixelBufferGetWidth(buffer)) × "
        + "\(CVPixelBufferGetHeight(buffer)) pixels"
    default: found = "a \(type(of: backing))"
    }
    return MLModelError(
      .parameters,
      "The output backing for the feature \"\(name)\" is \(found), but the model gives \(expected)."
    )
  }
}

extension NetworkOutput.Kind {
  fileprivate var isInteger: Bool {
    if case .int64 = self { return true }
    return false
  }
}

/// Returns the `Int64` that is nearest to a number, or 0 for NaN.
private func nearestInteger(_ number: Double) -> Int64 {
  if number.isNaN { return 0 }
  return Int64(exactly: number.rounded()) ?? (number < 0 ? Int64.min : Int64.max)
}
