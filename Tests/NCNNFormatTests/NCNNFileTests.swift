import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import NCNNFormat

/// Tests what the reader does with files that are incomplete, damaged or unusual.
@Suite struct NCNNFileTests {
  /// A network of one convolution whose input states no size.
  private static let free = NCNNFiles(
    param: """
      7767517
      3 4
      Input input 0 1 data
      Split split 1 2 data first second
      Convolution layer 1 1 second made 0=2 1=1 6=6
      """,
    weights: Data([0, 0, 0, 0]) + floats([1, 2, 3, 4, 5, 6]))

  private static func floats(_ values: [Float]) -> Data {
    Data(
      values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } })
  }

  private func message(_ files: NCNNFiles) -> String {
    do {
      _ = try files.read()
      return ""
    } catch {
      return (error as? EngineError)?.message ?? "\(error)"
    }
  }

  @Test func `An input without a size has the channels of the convolution that reads it`() throws {
    let model = try Self.free.read()
    #expect(
      model.inputs.map(\.extents) == [[1, 3, Extent(from: 1), Extent(from: 1)]])
    #expect(model.outputs.map(\.name) == ["first", "made"])
    let made = try model.run([.ramp([1, 3, 2, 5])])
    #expect(made[1].shape == [1, 2, 2, 5])
    let x: [Double] = made[0].reals
    #expect(abs(made[1].reals[0] - (x[0] + 2 * x[10] + 3 * x[20])) < 1e-5)
  }

  @Test func `The caller's extents replace a missing size`() throws {
    var options = ReadingOptions()
    options.extents = ["data": [1, 3, 4, 4]]
    #expect(try Self.free.read(options).inputs[0].extents == [1, 3, 4, 4])
  }

  @Test func `The weights may be another file that the caller names`() throws {
    try Self.free.inFolder { url in
      let folder: URL = url.deletingLastPathComponent()
      let other = folder.appendingPathComponent("other.bin")
      try FileManager.default.moveItem(at: folder.appendingPathComponent("net.bin"), to: other)
      let error = try #require(throws: EngineError.self) {
        try NCNNReader.read(url, options: ReadingOptions())
      }
      #expect(error.message.contains("'net.bin' is not beside it. Give the file: --with FILE.bin."))
      var options = ReadingOptions()
      options.companions = [other]
      #expect(try NCNNReader.read(url, options: options).inputs.count == 1)
    }
  }

  @Test func `A truncated file of weights is refused with its size`() {
    var files = Self.free
    files.weights.removeLast(3)
    #expect(message(files).contains("need 24 bytes from byte 4 on, but 'net.bin' has 25"))
  }

  @Test func `Bytes after the weights of the last layer are refused`() {
    var files = Self.free
    files.weights.append(contentsOf: [0, 0, 0, 0])
    #expect(message(files).contains("'net.bin' has 32 bytes, but the layers take 28"))
  }

  @Test func `A truncated description is refused`() {
    var files = Self.free
    files.param = files.param.split(separator: "\n").dropLast().joined(separator: "\n")
    #expect(message(files).contains("has 2 layers, but states 3"))
  }

  @Test(arguments: [
    ("7767517", "hello", "the first line is 'hello', expected 7767517"),
    (
      "Convolution layer", "Convolutoin layer", "layers of the type 'Convolutoin' are not supported"
    ),
    ("1=1 6=6", "1=1 6=6 77=3", "the parameter '77' is 3"),
    ("1=1 6=6", "1=1 6=7", "has 7 weights for windows of 1 × 1 and 2 output channels"),
    ("1=1 6=6", "1=1 6=6 8=1", "the parameter '8' is 1, expected 0"),
    ("1=1 6=6", "1=one 6=6", "the parameter 1 is 'one', expected an integer"),
    ("1=1 6=6", "1=1 6=6 -23310=3,1", "does not have as many values as it states"),
    (
      "1 1 second made", "2 1 second third made",
      "it reads 'third', which no earlier layer makes"
    ),
    ("Input input 0 1 data", "Input input 0 1 data 0=-4", "expected positive numbers"),
  ])
  func `A faulty description gets a sentence that names the fault`(
    _ old: String, _ new: String, _ sentence: String
  ) {
    var files = Self.free
    files.param = files.param.replacingOccurrences(of: old, with: new)
    #expect(message(files).contains(sentence), "\(message(files))")
  }

  @Test(
    arguments: NCNNCase.all.filter { !$0.weights.isEmpty || $0.name.hasPrefix("crop") }.map(\.name))
  func `A damaged file gives an error message or a model that runs`(_ name: String) throws {
    let item = try #require(NCNNCase.all.first { $0.name == name })
    var mutant = FileMutant(named: name)
    let original: NCNNFiles = item.files
    for mutation in 0..<20 {
      var files: NCNNFiles = original
      let place: (Int, inout FileMutant) -> Int = { count, mutant in mutant.number(below: count) }
      if files.weights.isEmpty || mutation % 4 != 0 {
        let changed: Data = mutant.changed(Data(files.param.utf8), at: place)
        files.param = String(decoding: changed, as: UTF8.self)
      } else {
        files.weights = mutant.changed(files.weights, at: place)
      }
      let failure: EngineError? = try FileMutant.failure { try files.read() }
      if let failure { #expect(failure.message.count > 10, "\(failure.message)") }
    }
  }
}
