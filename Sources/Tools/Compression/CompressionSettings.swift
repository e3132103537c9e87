import Platform

/// How the weights of a model are to be kept.
public struct CompressionSettings: Sendable {
  /// How numbers become codes of few bits.
  public enum Mode: Sendable, Hashable {
    /// `scale · code + bias`, one pair per output channel, or per group of it.
    case linear
    /// `scale · code`, with codes on both sides of zero.
    case linearSymmetric
    /// A table of the means of clusters, one per tensor, or per group of channels.
    case kMeans
    /// A table that the caller gives, of `1 << bits` numbers.
    case table([Float])

    /// The name of the mode at the command line.
    public var name: String {
      switch self {
      case .linear: "linear"
      case .linearSymmetric: "linear-symmetric"
      case .kMeans: "kmeans"
      case .table: "lut"
      }
    }
  }

  /// The width of a weight in bits: 16 for float16, or 8, 6, 4, 3, 2, 1. ML Programs have no codes of 5 and 7
  /// bits.
  public var bits: Int
  /// How codes mean numbers; without meaning for 16 bits.
  public var mode: Mode
  /// How many neighbouring weights of a channel share a scale, or how many channels a table; nil for whole
  /// channels and whole tensors. ML Programs alone have groups.
  public var groupSize: Int?
  /// The share of the weights of each tensor, those of the least magnitude, that becomes zero and is not
  /// stored; ML Programs alone keep such tensors small.
  public var sparsity: Double?
  /// The tensors to compress by the names of their layers; nil for all.
  public var layers: Set<String>?
  /// Widths of single layers, in the place of ``bits``.
  public var widths: [String: Int] = [:]
  /// Tensors of fewer numbers become float16 at most.
  public var smallest = 1024

  /// So many bits per weight.
  public init(bits: Int, mode: Mode = .linear) {
    self.bits = bits
    self.mode = mode
  }

  /// The width of a layer's weights.
  func bits(of layer: String) -> Int { widths[layer] ?? bits }

  /// Whether a layer is to be compressed.
  func includes(_ layer: String) -> Bool { layers?.contains(layer) ?? true }

  /// Throws where the settings contradict themselves.
  func check() throws {
    for width in [bits] + widths.values where !(1...8).contains(width) && width != 16 {
      throw CompressionError("\(width) bits are asked for, expected 16 or 1 to 8.")
    }
    if let groupSize, groupSize < 1 {
      throw CompressionError("Groups of \(groupSize) weights are asked for, expected 1 or more.")
    }
    if let sparsity, !(sparsity >= 0 && sparsity < 1) {
      throw CompressionError("A sparsity of \(sparsity) is asked for, expected 0 to below 1.")
    }
    if case .table(let table) = mode, bits <= 8, table.count != 1 << bits {
      throw CompressionError(
        "The table has \(table.count) numbers, expected \(1 << bits) for \(bits) bits.")
    }
  }
}

/// Why a model cannot be compressed, in one sentence.
public struct CompressionError: Error, Sendable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ sentence: String) { description = ErrorSentence.tidied(sentence) }
}
