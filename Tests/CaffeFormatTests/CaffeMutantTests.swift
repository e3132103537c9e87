import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import CaffeFormat

/// Tests that a damaged file gives either an error with a message, or a model that runs. No file may cause a crash.
@Suite struct CaffeMutantTests {
  @Test(arguments: [
    "convolution", "deconvolution with bias", "batch norm and scale", "average with a border",
    "crop",
    "slice", "reshape", "inner product",
  ])
  func `A damaged file gives an error message or a model that runs`(_ name: String) throws {
    let item = try #require(OpenCVTests.cases.first { $0.name == name })
    var mutant = FileMutant(named: name)
    let weights: Data = Data(base64Encoded: item.weights) ?? Data()
    let url = try CaffeRun.write(item.prototxt, weights)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let other = url.deletingPathExtension().appendingPathExtension("caffemodel")
    for mutation in 0..<150 {
      let isText: Bool = weights.isEmpty || mutation % 2 == 0
      let original: Data = isText ? Data(item.prototxt.utf8) : weights
      let target: URL = isText ? url : other
      let damaged: Data = mutant.changed(original) { byteCount, mutant in
        // With equal probability, a change is in the first 200 bytes, which describe the file's structure, or anywhere
        // in the file.
        mutant.number(below: min(byteCount, mutant.number(below: 2) == 0 ? 200 : byteCount))
      }
      try damaged.write(to: target)
      defer { try? original.write(to: target) }
      let failure: EngineError? = try FileMutant.failure {
        try CaffeReader.read(url, options: ReadingOptions())
      }
      if let failure { #expect(failure.message.count > 10, "\(failure.message)") }
    }
  }
}
