import CAtelierHeader
import Compression
import Foundation
import ModelFormat

@c @implementation
public func atelier_compress(
  _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let source = URL(fileURLWithPath: String(cString: try given(source, "source")))
    let target = URL(fileURLWithPath: String(cString: try given(target, "target")))
    let settings = try CompressionSettings(
      json: String(cString: try given(options, "options")))
    try ModelCompressor(settings).compress(try ModelFile.open(source), to: target)
  }
}

extension CompressionSettings {
  /// The settings in the form that the header states.
  fileprivate init(json: String) throws {
    let words = try object(json, "options")
    guard let bits = words["bits"] as? Int else {
      throw CallError("The options name no whole number of 'bits'.")
    }
    let modes: [String: Mode] = [
      "linear": .linear, "linear-symmetric": .linearSymmetric, "kmeans": .kMeans,
    ]
    let name: String = words["mode"] as? String ?? "linear"
    guard let mode = modes[name] else {
      throw CallError("The mode is '\(name)', expected linear, linear-symmetric or kmeans.")
    }
    let table: [Float]? = (words["table"] as? [NSNumber])?.map(\.floatValue)
    self.init(bits: bits, mode: table.map { .table($0) } ?? mode)
    groupSize = words["group_size"] as? Int
    sparsity = (words["sparsity"] as? NSNumber)?.doubleValue
    layers = (words["layers"] as? [String]).map(Set.init)
  }
}
