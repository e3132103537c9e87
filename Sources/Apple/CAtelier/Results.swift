import CAtelierHeader
import CoreML
import CoreVideo
import Foundation

/// The content of an `atelier_results`: the values of a prediction as C structures, and all memory to which the
/// structures point.
final class Results {
  /// The values of the prediction as C structures.
  private(set) var features: UnsafeMutableBufferPointer<atelier_feature>
  private let memory: UnsafeMutablePointer<atelier_feature>
  private let names: OutputNames?
  /// The arrays and images whose memory `features` points to.
  private var values: [MLFeatureValue] = []
  /// The images that stay locked until this object is released.
  private var lockedImages: [CVPixelBuffer] = []
  /// The allocated blocks to which `features` points, such as shapes and strings.
  private var blocks: [UnsafeMutableRawPointer] = []

  /// - Parameter names: The names that ``append(_:name:)`` will get. This object retains them, because `features` points
  ///   to their strings. It does not retain the model, so that results that are kept for long do not keep its weights.
  init(named names: OutputNames? = nil, capacity: Int) {
    self.names = names
    memory = UnsafeMutablePointer<atelier_feature>.allocate(capacity: max(capacity, 1))
    features = UnsafeMutableBufferPointer(start: memory, count: 0)
    values.reserveCapacity(capacity)
  }

  deinit {
    for image in lockedImages { CVPixelBufferUnlockBaseAddress(image, .readOnly) }
    for block in blocks { block.deallocate() }
    memory.deallocate()
  }

  /// Adds a value. The number of values must not exceed the `capacity` of the initialiser.
  func append(_ value: MLFeatureValue, name: UnsafePointer<CChar>?) {
    var feature = atelier_feature()
    feature.name = name
    feature.kind = Int32(value.isUndefined ? 0 : value.type.rawValue)
    switch value.type {
    case .int64: feature.integer = value.int64Value
    case .double: feature.number = value.doubleValue
    case .string:
      feature.text = UnsafePointer(text(value.stringValue))
      feature.count = Int64(value.stringValue.utf8.count)
    case .image: if let image = value.imageBufferValue { write(image, to: &feature) }
    case .multiArray: if let array = value.multiArrayValue { write(array, to: &feature) }
    case .dictionary: write(value.dictionaryValue, to: &feature)
    case .sequence: if let sequence = value.sequenceValue { write(sequence, to: &feature) }
    default: break
    }
    let count: Int = features.count
    (memory + count).initialize(to: feature)
    features = UnsafeMutableBufferPointer(start: memory, count: count + 1)
    values.append(value)
  }

  /// Adds a value with a copy of a name.
  func append(_ value: MLFeatureValue, named name: String) {
    append(value, name: UnsafePointer(text(name)))
  }

  private func write(_ image: CVPixelBuffer, to feature: inout atelier_feature) {
    CVPixelBufferLockBaseAddress(image, .readOnly)
    lockedImages.append(image)
    feature.data = UnsafeRawPointer(CVPixelBufferGetBaseAddress(image))
    feature.width = Int64(CVPixelBufferGetWidth(image))
    feature.height = Int64(CVPixelBufferGetHeight(image))
    feature.bytes_per_row = Int64(CVPixelBufferGetBytesPerRow(image))
    switch CVPixelBufferGetPixelFormatType(image) {
    case kCVPixelFormatType_32BGRA: feature.type = Int32(ATELIER_BGRA)
    case kCVPixelFormatType_OneComponent8: feature.type = Int32(ATELIER_GRAY)
    case kCVPixelFormatType_OneComponent16Half: feature.type = Int32(ATELIER_GRAY_FLOAT16)
    default: break
    }
  }

  private func write(_ array: MLMultiArray, to feature: inout atelier_feature) {
    let type: MLMultiArrayDataType = array.dataType
    let size: Int = type.byteCount
    feature.type = Int32(type.rawValue)
    feature.data = UnsafeRawPointer(array.dataPointer)
    let (shape, strides) = (array.shape, array.strides)
    feature.count = Int64(shape.count)
    let lengths = block(of: Int64.self, count: 2 * shape.count)
    for axis in shape.indices {
      lengths[axis] = shape[axis].int64Value
      lengths[shape.count + axis] = strides[axis].int64Value * Int64(size)
    }
    feature.shape = UnsafePointer(lengths)
    feature.strides = UnsafePointer(lengths + shape.count)
  }

  private func write(_ dictionary: [AnyHashable: NSNumber], to feature: inout atelier_feature) {
    let numbers = block(of: Double.self, count: dictionary.count)
    var texts: [String] = []
    var integers: [Int64] = []
    var index: Int = 0
    for (key, value) in dictionary {
      numbers[index] = value.doubleValue
      index += 1
      if let text = key.base as? String {
        texts.append(text)
      } else {
        integers.append((key.base as? Int).map { Int64($0) } ?? key.base as? Int64 ?? 0)
      }
    }
    feature.data = UnsafeRawPointer(numbers)
    feature.count = Int64(dictionary.count)
    texts.count == dictionary.count
      ? write(texts, asKeysOf: &feature) : write(integers, asKeysOf: &feature)
  }

  private func write(_ sequence: MLSequence, to feature: inout atelier_feature) {
    if sequence.type == .string {
      write(sequence.stringValues, asKeysOf: &feature)
    } else {
      write(sequence.int64Values.map { $0.int64Value }, asKeysOf: &feature)
    }
  }

  private func write(_ keys: [String], asKeysOf feature: inout atelier_feature) {
    let texts = block(of: UnsafePointer<CChar>?.self, count: keys.count)
    let lengths = block(of: Int64.self, count: keys.count)
    for (index, key) in keys.enumerated() {
      texts[index] = UnsafePointer(text(key))
      lengths[index] = Int64(key.utf8.count)
    }
    feature.shape = UnsafePointer(lengths)
    feature.type = Int32(ATELIER_STRING)
    feature.keys = UnsafeRawPointer(texts)
    feature.count = Int64(keys.count)
  }

  private func write(_ keys: [Int64], asKeysOf feature: inout atelier_feature) {
    let integers = block(of: Int64.self, count: keys.count)
    for (index, key) in keys.enumerated() { integers[index] = key }
    feature.type = Int32(ATELIER_INT64)
    feature.keys = UnsafeRawPointer(integers)
    feature.count = Int64(keys.count)
  }

  // Safe: `deinit` frees every block once, and each block has space for the data that is written into it.

  private func text(_ text: String) -> UnsafeMutablePointer<CChar> {
    let characters: ContiguousArray<CChar> = text.utf8CString
    let copy = block(of: CChar.self, count: characters.count)
    for (index, character) in characters.enumerated() { copy[index] = character }
    return copy
  }

  private func block<Element>(of type: Element.Type, count: Int) -> UnsafeMutablePointer<Element> {
    let start = UnsafeMutablePointer<Element>.allocate(capacity: max(1, count))
    blocks.append(UnsafeMutableRawPointer(start))
    return start
  }
}
