import COneDNN

/// What the processor can do, as far as kernels choose by it.
public struct Processor: Sendable, Hashable {
  /// 512-bit vectors (AVX512 F, BW, VL, DQ).
  public var hasAVX512: Bool
  /// Products of `bfloat16` pairs (AVX512-BF16).
  public var hasBFloat16: Bool
  /// Matrix tiles of `bfloat16` (AMX).
  public var hasMatrixTiles: Bool

  /// A processor with the given abilities, for tests.
  public init(hasAVX512: Bool, hasBFloat16: Bool, hasMatrixTiles: Bool) {
    self.hasAVX512 = hasAVX512
    self.hasBFloat16 = hasBFloat16
    self.hasMatrixTiles = hasMatrixTiles
  }

  /// The processor that runs this program.
  public static let current: Processor = {
    let features = adnn_cpu_features()
    return Processor(
      hasAVX512: features & UInt32(ADNN_CPU_AVX512) != 0,
      hasBFloat16: features & UInt32(ADNN_CPU_AVX512_BF16) != 0,
      hasMatrixTiles: features & UInt32(ADNN_CPU_AMX_BF16) != 0)
  }()

  /// Whether `bfloat16` pays here.
  public var prefersBFloat16: Bool { hasBFloat16 || hasMatrixTiles }
}

extension Processor {
  /// The number of threads that the pool starts with.
  static var threadCount: Int32 { max(1, adnn_threads()) }
}
