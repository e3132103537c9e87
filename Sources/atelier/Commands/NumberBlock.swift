import CoreML
import Engine
import Foundation

/// An array of numbers with a shape, from the command line or a file.
struct NumberBlock {
  let shape: [Int]
  let values: [Double]

  init(shape: [Int], values: [Double]) {
    self.shape = shape
    self.values = values
  }

  /// Reads numbers from a text: nested JSON, `1,2,3`, or the path of a `.json` or `.npy` file. Returns nil if the text
  /// is none of these. If the text is a flat list with as many numbers as the declared shape has elements, the block
  /// gets the declared shape.
  init?(_ text: String, declared: [Int]) throws {
    if let data = try Self.contents(text, extension: "npy") {
      self = try NumPyFile.read(data, name: text)
      return
    }
    let json: Data = try Self.contents(text, extension: "json") ?? Data("[\(text)]".utf8)
    guard let parsed = try? JSONSerialization.jsonObject(with: json) else { return nil }
    // The text was parsed with additional brackets. If the text has brackets of its own, the additional brackets are
    // removed.
    let outer = parsed as? [Any]
    let inner: Any = outer?.count == 1 && outer?.first is [Any] ? outer?.first ?? parsed : parsed
    var values: [Double] = []
    guard let shape = Self.flatten(inner, &values) else { return nil }
    let fits: Bool = shape.count == 1 && Shape(declared).count == values.count && !declared.isEmpty
    self.init(shape: fits ? declared : shape, values: values)
  }

  /// Reads the file at a path. Returns nil if the path does not end with the wanted extension.
  static func contents(_ text: String, extension wanted: String) throws -> Data? {
    guard URL(fileURLWithPath: text).pathExtension.lowercased() == wanted else { return nil }
    guard let data = try InputFile.contents(text) else {
      throw CommandError("File '\(text)' cannot be read. Check the path.")
    }
    return data
  }

  /// Appends the numbers of nested lists to `values` and returns the lists' extents. Returns nil if the lists are
  /// ragged or contain anything but numbers.
  private static func flatten(_ value: Any, _ values: inout [Double]) -> [Int]? {
    if let number = value as? NSNumber {
      values.append(number.doubleValue)
      return []
    }
    guard let items = value as? [Any] else { return nil }
    var inner: [Int]?
    for item in items {
      guard let shape = flatten(item, &values), inner == nil || inner == shape else { return nil }
      inner = shape
    }
    return [items.count] + (inner ?? [])
  }

  /// Converts the numbers to an array for a model. Throws if the type is an integer type and a number does not fit.
  func multiArray(type: MLMultiArrayDataType) throws -> MLMultiArray {
    try MLMultiArray(checking: values, shape: shape, dataType: type)
  }

  /// Copies the numbers of a model's array, in row-major order.
  init(_ array: MLMultiArray) {
    shape = array.shape.map(\.intValue)
    values = (0..<array.count).map { array[$0].doubleValue }
  }
}

/// NumPy's file format for one array. **Source:** NumPy's `numpy.lib.format`.
enum NumPyFile {
  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

  /// Returns the bytes of a file with the numbers as float32, in row-major order.
  static func data(_ block: NumberBlock) -> Data {
    let extents: String =
      block.shape.map { "\($0), " }.joined().trimmingCharacters(in: ["\u{20}"])
    var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(extents)), }"
    // The numbers begin at a multiple of 64 bytes. The header ends with a line break.
    let padding: Int = 63 - (magic.count + 4 + header.utf8.count) % 64
    header += String(repeating: " ", count: padding) + "\n"
    var bytes: [UInt8] = magic + [1, 0]
    bytes += [UInt8(header.utf8.count & 255), UInt8(header.utf8.count >> 8)]
    bytes += Array(header.utf8)
    let values: [Float] = block.values.map { Float($0) }
    return Data(bytes) + values.withUnsafeBytes { Data($0) }
  }

  /// Reads an array of little-endian numbers in row-major order.
  static func read(_ data: Data, name: String) throws -> NumberBlock {
    let bytes = [UInt8](data)
    func bad(_ fault: String) -> CommandError {
      CommandError("Array '\(name)': \(fault). Save it with numpy.save in C order.")
    }
    guard bytes.count > 12, Array(bytes[..<6]) == magic, bytes[6] >= 1 else {
      throw bad("it is not a NumPy file")
    }
    let lengthBytes: Int = bytes[6] == 1 ? 2 : 4
    let length: Int = (0..<lengthBytes).reduce(0) { $0 | Int(bytes[8 + $1]) << (8 * $1) }
    let start: Int = 8 + lengthBytes + length
    guard start <= bytes.count else { throw bad("the file ends within its header") }
    let header = String(decoding: bytes[(8 + lengthBytes)..<start], as: UTF8.self)
    guard header.contains("'fortran_order': False"),
      let type = header.firstMatch(of: /'descr': '[<|]([a-z]\d)'/)?.output.1,
      let extents = header.firstMatch(of: /'shape': \(([0-9, ]*)\)/)?.output.1
    else { throw bad("the header is not supported") }
    let shape: [Int] = extents.split { $0 == "," || $0 == " " }.compactMap { Int($0) }
    var count: Int = 1
    for extent in shape {
      let (product, overflows) = count.multipliedReportingOverflow(by: extent)
      guard !overflows, product <= bytes.count else {
        throw bad(
          "the shape is larger than the file")
      }
      count = product
    }
    let size: Int = type.last?.wholeNumberValue ?? 1
    guard bytes.count - start == count * size else {
      throw bad("it holds \(bytes.count - start) bytes, expected \(count * size)")
    }
    let values: [Double]? = bytes.withUnsafeBytes { view in
      func all<Number>(_: Number.Type, _ convert: (Number) -> Double) -> [Double] {
        (0..<count).map {
          convert(view.loadUnaligned(fromByteOffset: start + $0 * size, as: Number.self))
        }
      }
      switch type {
      case "f4": return all(Float.self) { Double($0) }
      case "f8": return all(Double.self) { $0 }
      case "f2": return all(Float16.self) { Double($0) }
      case "i8": return all(Int64.self) { Double($0) }
      case "i4": return all(Int32.self) { Double($0) }
      case "i1": return all(Int8.self) { Double($0) }
      case "u1", "b1": return all(UInt8.self) { Double($0) }
      default: return nil
      }
    }
    guard let values else { throw bad("the element type \(type) is not supported") }
    return NumberBlock(shape: shape, values: values)
  }
}
