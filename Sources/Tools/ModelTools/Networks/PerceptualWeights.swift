import Files
import Foundation

/// The learnt weights of two perceptual distances over features of VGG-16: LPIPS and DISTS.
///
/// **Source:** Zhang, Isola, Efros, Shechtman and Wang, arXiv:1801.03924 (weights: package lpips 0.1.4, version 0.1 for
/// VGG); Ding, Ma, Wang and Simoncelli, arXiv:2004.07728 (weights: package DISTS_pytorch 0.1).
public struct PerceptualWeights: Codable, Sendable, Equatable {
  /// The layers whose features are compared: the last ReLU of each block.
  public static let layers = ["relu1_2", "relu2_2", "relu3_3", "relu4_3", "relu5_3"]
  /// The name under which ``means`` and ``structures`` hold the weights of the picture's own three channels.
  public static let picture = "picture"

  /// The weights of LPIPS: for each layer a number per channel, 0 or more.
  public var lpips: [String: [Float]]
  /// The weights α of DISTS for the means: for the picture and each layer a number per channel.
  public var means: [String: [Float]]
  /// The weights β of DISTS for variances and covariances: for the picture and each layer a number per channel.
  public var structures: [String: [Float]]

  /// The layers and the picture, each with its number of channels, in the order in which DISTS lists its weights.
  private static let channels: [(name: String, count: Int)] =
    [(picture, 3)] + zip(layers, [64, 128, 256, 512, 512]).map { ($0, $1) }

  /// Creates weights.
  public init(
    lpips: [String: [Float]], means: [String: [Float]], structures: [String: [Float]]
  ) {
    self.lpips = lpips
    self.means = means
    self.structures = structures
  }

  /// Reads the weights from the files of the two packages.
  init(lpips: TorchFile, dists: TorchFile) throws {
    var heads: [String: [Float]] = [:]
    for (index, layer) in Self.layers.enumerated() {
      heads[layer] = try lpips.array("lin\(index).model.1.weight").floats()
    }
    func parts(_ key: String) throws -> [String: [Float]] {
      var rest: ArraySlice<Float> = try dists.array(key).floats()[...]
      var result: [String: [Float]] = [:]
      for (name, count) in Self.channels {
        result[name] = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      return result
    }
    self.init(lpips: heads, means: try parts("alpha"), structures: try parts("beta"))
    try check("of the packages")
  }

  /// Reads the file that `atelier fetch judge` writes.
  public init(contentsOf file: URL) throws {
    guard let data = try? Data(contentsOf: file) else {
      throw ModelToolsError(
        .file,
        "The weights of LPIPS and DISTS are not in '\(file.path)'. Run `atelier fetch judge`.")
    }
    guard let read = try? JSONDecoder().decode(PerceptualWeights.self, from: data) else {
      throw ModelToolsError(
        .badWeights,
        "Weights '\(file.path)': expected the JSON that `atelier fetch judge --force` writes.")
    }
    try read.check("'\(file.path)'")
    self = read
  }

  /// Writes the weights as JSON.
  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    try WholeFile.write(try encoder.encode(self), to: file.path)
  }

  /// Throws if a layer does not have one finite weight for each channel of VGG-16.
  private func check(_ source: String) throws {
    for (kind, table, names) in [
      ("LPIPS", lpips, Self.channels.dropFirst()[...]), ("DISTS", means, Self.channels[...]),
      ("DISTS", structures, Self.channels[...]),
    ] {
      for (name, count) in names {
        let found: [Float] = table[name] ?? []
        guard found.count == count, found.allSatisfy(\.isFinite) else {
          throw ModelToolsError(
            .badWeights,
            "Weights \(source): \(kind) has \(found.count) weights for '\(name)', expected \(count)"
              + " numbers. Run `atelier fetch judge --force`.")
        }
      }
    }
  }
}
