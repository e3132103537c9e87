/// The C functions of vDSP and vForce for one type of numbers. `Float` and `Double` have one table each, so that the
/// functions with Swift's types are written once.
public struct VectorFunctions<T>: Sendable {
  typealias Input = UnsafePointer<T>
  typealias Output = UnsafeMutablePointer<T>

  typealias Unary = @Sendable (Input, Int, Output, Int, UInt) -> Void
  typealias Binary = @Sendable (Input, Int, Input, Int, Output, Int, UInt) -> Void
  typealias VectorScalar = @Sendable (Input, Int, Input, Output, Int, UInt) -> Void
  typealias ScalarVector = @Sendable (Input, Input, Int, Output, Int, UInt) -> Void
  typealias VectorTwoScalars = @Sendable (Input, Int, Input, Input, Output, Int, UInt) -> Void
  typealias TwoVectorsScalar = @Sendable (Input, Int, Input, Int, Input, Output, Int, UInt) -> Void
  typealias VectorScalarVector =
    @Sendable (Input, Int, Input, Input, Int, Output, Int, UInt) -> Void
  typealias ThreeVectors = @Sendable (Input, Int, Input, Int, Input, Int, Output, Int, UInt) -> Void
  typealias FourVectors =
    @Sendable (Input, Int, Input, Int, Input, Int, Input, Int, Output, Int, UInt) -> Void
  typealias Reduction = @Sendable (Input, Int, Output, UInt) -> Void
  typealias IndexedReduction =
    @Sendable (Input, Int, Output, UnsafeMutablePointer<UInt>, UInt) -> Void
  typealias PairReduction = @Sendable (Input, Int, Input, Int, Output, UInt) -> Void
  typealias Normalization = @Sendable (Input, Int, Output?, Int, Output, Output, UInt) -> Void
  typealias Ramp = @Sendable (Input, Input, Output, Int, UInt) -> Void
  typealias Fill = @Sendable (Input, Output, Int, UInt) -> Void
  typealias InPlace = @Sendable (Output, Int, UInt) -> Void
  typealias Sort = @Sendable (Output, UInt, Int32) -> Void
  typealias Window = @Sendable (Output, UInt, Int32) -> Void
  typealias Filter = @Sendable (Input, Int, Input, Int, Output, Int, UInt, UInt) -> Void
  typealias SlidingWindow = @Sendable (Input, Int, Output, Int, UInt, UInt) -> Void
  typealias Downsampling = @Sendable (Input, Int, Input, Output, UInt, UInt) -> Void
  typealias Gather = @Sendable (Input, UnsafePointer<UInt>, Int, Output, Int, UInt) -> Void
  typealias Interpolation = @Sendable (Input, Input, Int, Output, Int, UInt, UInt) -> Void
  typealias Polynomial = @Sendable (Input, Int, Input, Int, Output, Int, UInt, UInt) -> Void
  typealias Decibels = @Sendable (Input, Int, Input, Output, Int, UInt, UInt32) -> Void
  typealias Elementary = @Sendable (Output, Input, UnsafePointer<Int32>) -> Void
  typealias ElementaryPair = @Sendable (Output, Input, Input, UnsafePointer<Int32>) -> Void

  let vneg: Unary
  let vabs: Unary
  let vnabs: Unary
  let vsq: Unary
  let vssq: Unary
  let vfrac: Unary
  let vadd: Binary
  let vsub: Binary
  let vmul: Binary
  let vdiv: Binary
  let vmax: Binary
  let vmin: Binary
  let vdist: Binary
  let vsadd: VectorScalar
  let vsmul: VectorScalar
  let vsdiv: VectorScalar
  let vthr: VectorScalar
  let vthres: VectorScalar
  let vrsum: VectorScalar
  let vtrapz: VectorScalar
  let svdiv: ScalarVector
  let vsmsa: VectorTwoScalars
  let vclip: VectorTwoScalars
  let viclip: VectorTwoScalars
  let vlim: VectorTwoScalars
  let vthrsc: VectorTwoScalars
  let vasm: TwoVectorsScalar
  let vsbsm: TwoVectorsScalar
  let vmsa: TwoVectorsScalar
  let vintb: TwoVectorsScalar
  let vsma: VectorScalarVector
  let vsmsb: VectorScalarVector
  let vma: ThreeVectors
  let vmsb: ThreeVectors
  let vam: ThreeVectors
  let vsbm: ThreeVectors
  let vaam: FourVectors
  let vsbsbm: FourVectors
  let vasbm: FourVectors
  let vmma: FourVectors
  let vmmsb: FourVectors
  let vpythg: FourVectors
  let sve: Reduction
  let svesq: Reduction
  let svemg: Reduction
  let meanv: Reduction
  let measqv: Reduction
  let meamgv: Reduction
  let rmsqv: Reduction
  let maxv: Reduction
  let minv: Reduction
  let maxmgv: Reduction
  let maxvi: IndexedReduction
  let minvi: IndexedReduction
  let maxmgvi: IndexedReduction
  let dotpr: PairReduction
  let distancesq: PairReduction
  let normalize: Normalization
  let vramp: Ramp
  let vfill: Fill
  let vrvrs: InPlace
  let vclr: InPlace
  let vsort: Sort
  let hann_window: Window
  let hamm_window: Window
  let blkman_window: Window
  let conv: Filter
  let vswsum: SlidingWindow
  let desamp: Downsampling
  let vgathr: Gather
  let vlint: Interpolation
  let vpoly: Polynomial
  let vdbcon: Decibels
  let vvexp: Elementary
  let vvexp2: Elementary
  let vvexpm1: Elementary
  let vvlog: Elementary
  let vvlog2: Elementary
  let vvlog10: Elementary
  let vvlog1p: Elementary
  let vvlogb: Elementary
  let vvsin: Elementary
  let vvcos: Elementary
  let vvtan: Elementary
  let vvasin: Elementary
  let vvacos: Elementary
  let vvatan: Elementary
  let vvsinh: Elementary
  let vvcosh: Elementary
  let vvtanh: Elementary
  let vvasinh: Elementary
  let vvacosh: Elementary
  let vvatanh: Elementary
  let vvsinpi: Elementary
  let vvcospi: Elementary
  let vvtanpi: Elementary
  let vvsqrt: Elementary
  let vvrsqrt: Elementary
  let vvrec: Elementary
  let vvfabs: Elementary
  let vvceil: Elementary
  let vvfloor: Elementary
  let vvint: Elementary
  let vvnint: Elementary
  let vvcbrt: Elementary
  let vvpow: ElementaryPair
  let vvatan2: ElementaryPair
  let vvfmod: ElementaryPair
  let vvremainder: ElementaryPair
  let vvcopysign: ElementaryPair
}
