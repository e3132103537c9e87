import CoreVideo
import Foundation

/// A multidimensional array of numbers: an input or output of a model.
///
/// A subscript takes either an element's index in row-major order, or one index per axis. An index out of range stops
/// the program. Do not write to an array from several threads at once.
open class MLMultiArray: NSObject, NSSecureCoding {
  let memory: ArrayMemory
  let layout: ArrayLayout

  /// The type of the elements.
  public let dataType: MLMultiArrayDataType

  init(memory: ArrayMemory, layout: ArrayLayout, dataType: MLMultiArrayDataType) {
    self.memory = memory
    self.layout = layout
    self.dataType = dataType
  }

  /// Makes an array of zeros.
  ///
  /// - Throws: ``MLModelError`` when a dimension is negative or the array does not fit into memory.
  public init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws {
    let dimensions: [Int] = shape.map { $0.intValue }
    let count: Int = try MLMultiArray.checkedCount(of: dimensions, dataType: dataType)
    memory = try ArrayMemory(claiming: count * dataType.byteCount)
    memset(memory.start, 0, memory.byteCount)
    layout = ArrayLayout(shape: dimensions)
    self.dataType = dataType
  }

  /// Makes an array that uses the caller's memory without copying.
  ///
  /// - Parameters:
  ///   - dataPointer: The address of the first element.
  ///   - shape: The length of each axis.
  ///   - strides: The distance in elements between neighbours along each axis.
  ///   - deallocator: The function that is called with `dataPointer` when the array is released; nil for none.
  /// - Throws: ``MLModelError`` when the number of strides differs from the number of axes, when a length or a stride
  ///   is negative, or when the elements do not fit into the address space.
  public init(
    dataPointer: UnsafeMutableRawPointer, shape: [NSNumber], dataType: MLMultiArrayDataType,
    strides: [NSNumber], deallocator: ((UnsafeMutableRawPointer) -> Void)? = nil
  ) throws {
    let dimensions: [Int] = shape.map { $0.intValue }
    let steps: [Int] = strides.map { $0.intValue }
    _ = try MLMultiArray.checkedCount(of: dimensions, dataType: dataType)
    guard dimensions.count == steps.count, steps.allSatisfy({ $0 >= 0 }) else {
      throw MLModelError(
        .generic,
        "A multi-array of shape \(sentence(dimensions)) needs \(dimensions.count) strides of 0 or "
          + "more, but the strides are \(sentence(steps)).")
    }
    guard isMeasurable(shape: dimensions, strides: steps) else {
      throw MLModelError(
        .generic,
        "A multi-array of shape \(sentence(dimensions)) with the strides \(sentence(steps)) is "
          + "larger than the address space.")
    }
    layout = ArrayLayout(shape: dimensions, strides: steps)
    memory = ArrayMemory(
      start: dataPointer, byteCount: layout.span * dataType.byteCount, release: deallocator)
    self.dataType = dataType
  }

  /// Makes an array that uses the memory of a `kCVPixelFormatType_OneComponent16Half` pixel buffer.
  ///
  /// The last axis is the buffer's width. The product of all other axes must equal the buffer's height.
  public init(pixelBuffer: CVPixelBuffer, shape: [NSNumber]) {
    let dimensions: [Int] = shape.map { $0.intValue }
    let format: OSType = CVPixelBufferGetPixelFormatType(pixelBuffer)
    precondition(
      format == kCVPixelFormatType_OneComponent16Half,
      "A multi-array over a pixel buffer needs the format OneComponent16Half, but the buffer's "
        + "format is \(fourCharacterName(of: format)).")
    guard let memory = ArrayMemory(pixelBuffer: pixelBuffer) else {
      preconditionFailure("The pixel buffer has no memory that the processor can address.")
    }
    let rows: Int = dimensions.dropLast().reduce(1, *)
    precondition(
      dimensions.last == CVPixelBufferGetWidth(pixelBuffer)
        && rows == CVPixelBufferGetHeight(pixelBuffer),
      "The shape \(dimensions) does not fit a pixel buffer of "
        + "\(CVPixelBufferGetWidth(pixelBuffer)) × \(CVPixelBufferGetHeight(pixelBuffer)).")
    layout = ArrayLayout(
      shape: dimensions,
      strides: rowStrides(of: dimensions, row: CVPixelBufferGetBytesPerRow(pixelBuffer) / 2))
    self.memory = memory
    dataType = .float16
  }

  /// Archives of arrays can be read with `requiresSecureCoding`.
  public class var supportsSecureCoding: Bool { true }

  /// Reads an array from an archive. Nil if the archive holds none, or not as many bytes as the shape needs.
  public required convenience init?(coder: NSCoder) {
    guard
      let shape = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "shape")
        as? [NSNumber],
      let dataType = MLMultiArrayDataType(rawValue: coder.decodeInteger(forKey: "dataType")),
      let bytes = coder.decodeObject(of: NSData.self, forKey: "data") as Data?,
      let count = try? MLMultiArray.checkedCount(of: shape.map(\.intValue), dataType: dataType),
      bytes.count == count * dataType.byteCount
    else { return nil }
    do { try self.init(shape: shape, dataType: dataType) } catch { return nil }
    // Safe: the memory holds `count` elements without gaps.
    bytes.withUnsafeBytes { source in
      if let first = source.baseAddress { memcpy(memory.start, first, source.count) }
    }
  }

  /// Writes the array into an archive: its shape, its type, and its elements in row-major order. On Apple's systems,
  /// archives of arrays have other keys.
  open func encode(with coder: NSCoder) {
    let compact = MLMultiArray(
      shape: layout.shape, dataType: dataType, strides: ArrayLayout(shape: layout.shape).strides)
    transfer(to: compact)
    coder.encode(shape as NSArray, forKey: "shape")
    coder.encode(dataType.rawValue, forKey: "dataType")
    coder.encode(
      Data(bytes: compact.memory.start, count: count * dataType.byteCount) as NSData, forKey: "data"
    )
  }

  /// Makes an array without elements, of shape `[0]`.
  public override convenience init() {
    self.init(shape: [0], dataType: .double, strides: [1])
  }

  /// Makes an array of zeros with the given strides, in elements.
  public convenience init(shape: [Int], dataType: MLMultiArrayDataType, strides: [Int]) {
    let layout = ArrayLayout(shape: shape, strides: strides)
    let memory = ArrayMemory(byteCount: layout.span * dataType.byteCount)
    memset(memory.start, 0, memory.byteCount)
    self.init(memory: memory, layout: layout, dataType: dataType)
  }

  /// The number of elements.
  public var count: Int { layout.count }

  /// The length of each axis.
  public var shape: [NSNumber] { layout.shape.map { NSNumber(value: $0) } }

  /// The distance in elements between neighbours along each axis.
  public var strides: [NSNumber] { layout.strides.map { NSNumber(value: $0) } }

  /// The address of the first element. The address is valid while the array exists.
  public var dataPointer: UnsafeMutableRawPointer { memory.start }

  /// The pixel buffer whose memory the array uses; nil when it uses other memory.
  public var pixelBuffer: CVPixelBuffer? { memory.pixelBuffer }

  /// Two arrays are equal when their types, shapes and elements are equal.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArray else { return false }
    return equals(other)
  }

  /// A hash of type and shape. Hashing the elements would be slow for large arrays.
  override open var hash: Int {
    var hasher = Hasher()
    hasher.combine(dataType)
    hasher.combine(layout.shape)
    return hasher.finalize()
  }

  /// The type and the shape. If the array has at most 1,000 elements, also the elements.
  override open var description: String {
    let size: String = layout.shape.map(String.init).joined(separator: " × ")
    let header: String = "\(dataType.sentenceName) \(size) array"
    if count > 1000 { return header }
    let values: [String] = (0..<count).map { self[$0].stringValue }
    return header + "\n[" + values.joined(separator: ",") + "]"
  }

  static func checkedCount(of shape: [Int], dataType: MLMultiArrayDataType) throws -> Int {
    guard let count = checkedElementCount(of: shape), count <= Int.max / 16 else {
      throw MLModelError(
        .generic,
        "A multi-array cannot have the shape \(sentence(shape)): every dimension must be 0 or more "
          + "and the array must fit in memory.")
    }
    return count
  }
}

/// Returns the strides, in elements, of an array that is stored as rows. The elements of a row are those along the last
/// axis. There may be gaps between the rows.
///
/// - Parameter row: The distance in elements from the start of a row to the start of the next row.
func rowStrides(of shape: [Int], row: Int) -> [Int] {
  var strides: [Int] = Array(repeating: 1, count: shape.count)
  var next: Int = row
  for axis in stride(from: shape.count - 2, through: 0, by: -1) {
    strides[axis] = next
    next *= shape[axis]
  }
  return strides
}
