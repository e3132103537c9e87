import Foundation
import Testing

/// Chooses one of the 26 styles of the network `stylize.mlmodel`.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct StyleIndexTests {
  private static let network = Fixtures.shared.appendingPathComponent(
    "models/fns-style/stylize.mlmodel"
  ).path

  /// Returns a NumPy file of float32 numbers.
  private static func array(_ shape: [Int], _ value: (Int) -> Float) -> Data {
    var header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (\(shape.map { "\($0), " }.joined())), }"
    header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
    let count: Int = header.utf8.count
    return Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(count & 255), UInt8(count >> 8)])
      + Data(header.utf8)
      + (0..<shape.reduce(1, *)).map(value).withUnsafeBytes { Data($0) }
  }

  private static func predict(_ folder: URL, _ style: String) throws -> Program.Outcome {
    let photo: URL = folder.appendingPathComponent("photo.npy")
    try array([3, 256, 256]) { Float($0 % 251) / 251 }.write(to: photo)
    return try Program.run(
      "predict", network, "-i", "input__0=\(photo.path)", "-i", "style_num__0=\(style)", "-o",
      folder.appendingPathComponent("out").path)
  }

  private static func painting(_ folder: URL) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent("out/Squeeze__0.npy"))
  }

  @Test("A number and a list give the same painting as an array file")
  func choices() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("style.npy")
      try Self.array([26, 1, 1, 1, 1]) { $0 == 11 ? 1 : 0 }.write(to: file)
      let fromFile = try Self.predict(folder, file.path)
      #expect(fromFile.status == 0, "\(fromFile.errors)")
      let expected: Data = try Self.painting(folder)
      let list: String = (0..<26).map { $0 == 11 ? "1" : "0" }.joined(separator: ",")
      for choice in ["11", list, "[\(list)]"] {
        let outcome = try Self.predict(folder, choice)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Self.painting(folder) == expected, "\(choice)")
      }
      #expect(try Self.predict(folder, "12").status == 0)
      #expect(try Self.painting(folder) != expected)
    }
  }

  @Test(
    "A style that the network does not have is refused with what it expects",
    arguments: [
      ("26", "a number from 0 to 25"), ("-1", "a number from 0 to 25"),
      ("wave", "a number from 0 to 25"), ("1,0,0", "has 3 numbers, expected 26"),
    ])
  func refusal(_ choice: String, _ sentence: String) throws {
    try Fixtures.withFolder { folder in
      let outcome = try Self.predict(folder, choice)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }
  }
}
