import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import CaffeFormat

/// Damaged files give an error with a sentence, or a model that runs: nothing else.
@Suite struct CaffeMutantTests {
  @Test(arguments: [
    "convolution", "deconvolution with bias", "batch norm and scale", "average with a border",
    "crop",
    "slice", "reshape", "inner product",
  ])
  func `Nothing but a sentence comes of a damaged file`(_ name: String) throws {
    let item = try #require(OpenCVTests.cases.first { $0.name == name })
    var mutant = FileMutant(named: name)
    let weights: Data = Data(base64Encoded: item.weights) ?? Data()
    let url = try CaffeRun.write(item.prototxt, weights)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let other = url.deletingPathExtension().appendingPathExtension("caffemodel")
    for turn in 0..<150 {
      let isText: Bool = weights.isEmpty || turn % 2 == 0
      let original: Data = isText ? Data(item.prototxt.utf8) : weights
      let place: URL = isText ? url : other
      let damaged: Data = mutant.changed(original) { byteCount, mutant in
        // What stands in front says how the file is built.
        mutant.number(below: min(byteCount, mutant.number(below: 2) == 0 ? 200 : byteCount))
      }
      try damaged.write(to: place)
      defer { try? original.write(to: place) }
      let failure: EngineError? = try FileMutant.failure {
        try CaffeReader.read(url, options: ReadingOptions())
      }
      if let failure { #expect(failure.message.count > 10, "\(failure.message)") }
    }
  }
}
