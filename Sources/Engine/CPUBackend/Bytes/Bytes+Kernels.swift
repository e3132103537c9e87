import Backends
import CKernels
import COneDNN
import Operators

extension ByteOperator: KernelProvider {
  /// The candidate that runs the program and stores its results as bytes.
  public var kernels: [KernelCandidate] { [program.candidate("native pointwise")] }
}

extension ByteConvolutionOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    byteCandidates("int8 convolution", layout: .channelsLast, zero: zero, epilogue: epilogue) {
      try convolution.libraryDescription($0)
    } own: {
      try convolution.byteDescription($0)
    }
  }
}

extension ByteProductOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    byteCandidates("int8 matrix product", layout: .dense, zero: zero, epilogue: epilogue) {
      adnn_convolution(rowsOf: $0)
    } own: {
      ck_quantized_convolution(rowsOf: $0)
    }
  }
}

/// Returns two candidates: oneDNN's kernel, then ours. oneDNN's kernel fits only if the kernel's sums and rounding are
/// exact. Both kernels are close to the peak rate of VNNI. oneDNN's kernel is faster for depthwise convolutions, and
/// has int8 matrix tiles (AMX).
private func byteCandidates(
  _ name: String, layout: Layout, zero: Int, epilogue: ByteEpilogue,
  library: @escaping @Sendable (KernelRequest) throws -> adnn_convolution?,
  own: @escaping @Sendable (KernelRequest) throws -> ck_quantized_convolution?
) -> [KernelCandidate] {
  @Sendable func kernels(_ request: KernelRequest) -> ByteKernels {
    ByteKernels(request: request, zero: zero, epilogue: epilogue, layout: layout)
  }
  return [
    KernelCandidate("oneDNN \(name)") { request in
      try library(request).flatMap { try kernels(request).libraryKernel($0) }
    },
    KernelCandidate("direct \(name)") { request in
      try own(request).flatMap { kernels(request).ownKernel($0) }
    },
  ]
}

extension ConvolutionOperator {
  /// Returns the sizes of this convolution for our kernel. Nil if the sizes exceed the kernel's limits.
  fileprivate func byteDescription(_ request: KernelRequest) throws -> ck_quantized_convolution? {
    guard
      var description = try ck_quantized_convolution(
        sizesOf: FusedConvolution(self), input: request.inputs[0].shape,
        output: request.outputs[0].shape)
    else { return nil }
    description.groups = Int64(groups)
    return description
  }
}

/// The fields that our int8 convolution and oneDNN's have in common.
private protocol ByteDescription: DenseDescription {
  var groups: Int64 { get set }
}

extension adnn_convolution: ByteDescription {}
extension ck_quantized_convolution: ByteDescription {}

extension ByteDescription {
  /// Describes a product of rows and a matrix as a convolution with one pixel per row. Nil if there are no rows, or
  /// too many.
  fileprivate init?(rowsOf request: KernelRequest) {
    let (columns, inner) = (request.inputs[1].shape[0], request.inputs[1].shape[1])
    guard inner > 0, case let rows = request.inputs[0].shape.count / inner, rows > 0,
      [rows, inner, columns].allSatisfy({ $0 <= Int(Int32.max) })
    else { return nil }
    self.init()
    let one = ConvolutionOperator.Pair(1, 1)
    set(
      input: FeatureMap(ofRankThreeOrMore: [inner, rows, 1]),
      output: FeatureMap(ofRankThreeOrMore: [columns, rows, 1]), kernel: one, stride: one,
      dilation: one, top: 0, left: 0)
    groups = 1
  }
}
