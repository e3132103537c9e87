import Graph
import CKernels
import COneDNN
import Foundation

/// The features of the processor that decide which kernels are used.
public struct Processor: Sendable, Hashable {
  /// 256-bit vectors (AVX2, FMA, F16C).
  public var hasAVX2: Bool
  /// 512-bit vectors (AVX512 F, BW, VL, DQ).
  public var hasAVX512: Bool
  /// Dot products of `bfloat16` pairs (AVX512-BF16).
  public var hasBFloat16: Bool
  /// Matrix tiles for `bfloat16` (AMX).
  public var hasMatrixTiles: Bool
  /// Dot products of 8-bit integers with 32-bit sums (VNNI). Processors without VNNI compute such sums more slowly than
  /// sums in `float32`.
  public var hasInt8DotProduct: Bool
  /// Whether our kernels for matrix tiles run on emulated tiles, which give the same bits but are slow. This is for
  /// tests on processors without AMX. For ``current`` the environment variable `ATELIER_TILES=emulated` sets this flag.
  public var emulatesMatrixTiles: Bool
  /// The speed of multiply-adds with AVX512-BF16 divided by the speed of multiply-adds in `float32`: about 2 on AMD's
  /// cores, 1 on Intel's, 0 without AVX512-BF16.
  public var bfloat16Rate: Double

  /// Creates a processor with the given features, for tests.
  public init(
    hasAVX512: Bool, hasBFloat16: Bool, hasMatrixTiles: Bool, hasInt8DotProduct: Bool = false,
    emulatesMatrixTiles: Bool = false, bfloat16Rate: Double = 2, hasAVX2: Bool = true
  ) {
    self.hasAVX2 = hasAVX2
    self.hasAVX512 = hasAVX512
    self.hasBFloat16 = hasBFloat16
    self.hasMatrixTiles = hasMatrixTiles
    self.hasInt8DotProduct = hasInt8DotProduct
    self.emulatesMatrixTiles = emulatesMatrixTiles
    self.bfloat16Rate = hasBFloat16 ? bfloat16Rate : 0
  }

  /// The processor that runs this program. The environment variable `ATELIER_TILES` may be `emulated` to emulate matrix
  /// tiles, or `none` to disable them.
  public static let current: Processor = {
    let features = adnn_cpu_features()
    let tiles: String? = ProcessInfo.processInfo.environment["ATELIER_TILES"]
    return Processor(
      hasAVX512: features & UInt32(ADNN_CPU_AVX512) != 0,
      hasBFloat16: features & UInt32(ADNN_CPU_AVX512_BF16) != 0,
      hasMatrixTiles: features & UInt32(ADNN_CPU_AMX_BF16) != 0 && tiles != "none"
        && tiles != "emulated",
      hasInt8DotProduct: ck_has_int8_dot_product() != 0,
      emulatesMatrixTiles: tiles == "emulated",
      bfloat16Rate: ck_bfloat16_rate(),
      hasAVX2: ck_instructions() >= 1)
  }()

  /// Whether this processor computes faster in `bfloat16` than in `float32`. This is so with matrix tiles, or if
  /// multiply-adds are faster in `bfloat16` than in `float32`. If the multiply-adds are equally fast in both types,
  /// Winograd's algorithm in `float32` is faster, because it can use larger tiles.
  public var prefersBFloat16: Bool { hasMatrixTiles || emulatesMatrixTiles || bfloat16Rate > 1.5 }

  /// Whether kernels multiply pairs of `bfloat16` values (``Precision/bfloat16Pairs``).
  public var multipliesPairs: Bool { hasMatrixTiles || emulatesMatrixTiles }

  /// Whether kernels multiply in `bfloat16`. Otherwise they convert `bfloat16` to `float32` as they read.
  public var multipliesBFloat16: Bool { hasBFloat16 || hasMatrixTiles || emulatesMatrixTiles }

  /// Whether storing feature maps as `bfloat16` costs no time. There are two cases. Either `bfloat16` is preferred, or
  /// kernels multiply in `float32`, and AVX2 instructions convert on reading and round on writing. In the second case,
  /// the halved memory traffic makes up for the conversions.
  public var storesBFloat16: Bool { prefersBFloat16 || hasAVX2 && !multipliesBFloat16 }
}

extension Processor {
  /// The number of threads for parallel work that the calling thread starts.
  package static var threadCount: Int32 { max(1, adnn_threads()) }
}
