import Graph
import CKernels
import COneDNN
import Foundation

/// What the processor can do, as far as kernels choose by it.
public struct Processor: Sendable, Hashable {
  /// 256-bit vectors (AVX2, FMA, F16C).
  public var hasAVX2: Bool
  /// 512-bit vectors (AVX512 F, BW, VL, DQ).
  public var hasAVX512: Bool
  /// Products of `bfloat16` pairs (AVX512-BF16).
  public var hasBFloat16: Bool
  /// Matrix tiles of `bfloat16` (AMX).
  public var hasMatrixTiles: Bool
  /// Products of bytes that are summed up in 32 bits (VNNI). Others compute the same sums, but in more time than
  /// those of `float32`.
  public var multipliesBytes: Bool
  /// Whether our own kernels for matrix tiles run on acted ones, which give the same bits, slowly: for tests
  /// on processors that have none. The environment's `ATELIER_TILES=acted` says so for ``current``.
  public var actsMatrixTiles: Bool
  /// How many products AVX512-BF16 makes while one of `float32` is made: about 2 on AMD's cores, 1 on
  /// Intel's, 0 without it.
  public var bfloat16Rate: Double

  /// A processor with the given abilities, for tests.
  public init(
    hasAVX512: Bool, hasBFloat16: Bool, hasMatrixTiles: Bool, multipliesBytes: Bool = false,
    actsMatrixTiles: Bool = false, bfloat16Rate: Double = 2, hasAVX2: Bool = true
  ) {
    self.hasAVX2 = hasAVX2
    self.hasAVX512 = hasAVX512
    self.hasBFloat16 = hasBFloat16
    self.hasMatrixTiles = hasMatrixTiles
    self.multipliesBytes = multipliesBytes
    self.actsMatrixTiles = actsMatrixTiles
    self.bfloat16Rate = hasBFloat16 ? bfloat16Rate : 0
  }

  /// The processor that runs this program, as far as the environment lets it be used: `ATELIER_TILES` is
  /// `acted` where matrix tiles shall be acted, `none` where there shall be none.
  public static let current: Processor = {
    let features = adnn_cpu_features()
    let tiles: String? = ProcessInfo.processInfo.environment["ATELIER_TILES"]
    return Processor(
      hasAVX512: features & UInt32(ADNN_CPU_AVX512) != 0,
      hasBFloat16: features & UInt32(ADNN_CPU_AVX512_BF16) != 0,
      hasMatrixTiles: features & UInt32(ADNN_CPU_AMX_BF16) != 0 && tiles != "none"
        && tiles != "acted",
      multipliesBytes: ck_multiplies_bytes() != 0,
      actsMatrixTiles: tiles == "acted",
      bfloat16Rate: ck_bfloat16_rate(),
      hasAVX2: ck_instructions() >= 1)
  }()

  /// Whether `bfloat16` pays here: with matrix tiles, or with products that are faster than those of
  /// `float32`. Where they are only as fast, Winograd's method with its larger `float32` squares wins.
  public var prefersBFloat16: Bool { hasMatrixTiles || actsMatrixTiles || bfloat16Rate > 1.5 }

  /// Whether kernels multiply `bfloat16`; elsewhere they widen it as they read, and multiply `float32`.
  public var multipliesBFloat16: Bool { hasBFloat16 || hasMatrixTiles || actsMatrixTiles }

  /// Whether feature maps may be kept in `bfloat16` without loss of time: where it is preferred, or where vectors
  /// widen them as they are read, and round them as they are written, while half the memory moves.
  public var keepsBFloat16: Bool { prefersBFloat16 || hasAVX2 && !multipliesBFloat16 }
}

extension Processor {
  /// The number of threads that the pool starts with.
  package static var threadCount: Int32 { max(1, adnn_threads()) }
}
