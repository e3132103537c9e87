import Foundation

/// An array from a `.npy` file of version 1: little-endian float16 or float32 in C order.
struct NumPyArray {
  let shape: [Int]
  let values: [Float]

  private struct Malformed: Error {}

  init(contentsOf url: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: url))
    guard bytes.count > 10, bytes[1...5].elementsEqual("NUMPY".utf8), bytes[6] == 1 else {
      throw Malformed()
    }
    let start: Int = 10 + Int(bytes[8]) + Int(bytes[9]) * 256
    let header = String(decoding: bytes[10..<start], as: UTF8.self)
    guard header.contains("'fortran_order': False"), let open = header.firstIndex(of: "("),
      let close = header.firstIndex(of: ")")
    else { throw Malformed() }
    let shape: [Int] = header[header.index(after: open)..<close].split(separator: ",")
      .compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
    let count: Int = shape.reduce(1, *)
    if header.contains("'<f2'"), bytes.count == start + 2 * count {
      values = (0..<count).map { (index: Int) -> Float in
        let offset: Int = start + 2 * index
        let bits = UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
        return Float(Float16(bitPattern: bits))
      }
    } else if header.contains("'<f4'"), bytes.count == start + 4 * count {
      values = (0..<count).map { (index: Int) -> Float in
        let word: [UInt8] = Array(bytes[start + 4 * index..<start + 4 * index + 4])
        let bits: UInt32 = word.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        return Float(bitPattern: bits)
      }
    } else {
      throw Malformed()
    }
    self.shape = shape
  }
}
