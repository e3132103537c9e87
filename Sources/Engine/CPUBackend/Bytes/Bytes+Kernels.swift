import Backends
import CKernels
import COneDNN
import Operators

extension ByteOperator: KernelProvider {
  /// The program, which keeps its results as bytes.
  public var kernels: [KernelCandidate] { [program.candidate("native pointwise")] }
}

extension ByteConvolutionOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    inOrder("convolution of bytes", layout: .channelsLast, zero: zero, epilogue: epilogue) {
      try convolution.libraryDescription($0)
    } own: {
      try convolution.byteDescription($0)
    }
  }
}

extension ByteProductOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    inOrder("product of bytes", layout: .dense, zero: zero, epilogue: epilogue) {
      adnn_convolution(rowsOf: $0)
    } own: {
      ck_byte_convolution(rowsOf: $0)
    }
  }
}

/// oneDNN's kernel, where it has one that sums up and rounds exactly, and ours. Both are near the most that VNNI
/// gives; the library is faster where each channel is alone, and has matrix tiles for bytes (AMX).
private func inOrder(
  _ name: String, layout: Layout, zero: Int, epilogue: ByteEpilogue,
  library: @escaping @Sendable (KernelRequest) throws -> adnn_convolution?,
  own: @escaping @Sendable (KernelRequest) throws -> ck_byte_convolution?
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
  /// The sizes of this convolution as our kernel takes them; nil where they are beyond it.
  fileprivate func byteDescription(_ request: KernelRequest) throws -> ck_byte_convolution? {
    guard
      var description = try ck_byte_convolution(
        sizesOf: self, input: request.inputs[0].shape, output: request.outputs[0].shape)
    else { return nil }
    description.groups = Int64(groups)
    return description
  }
}

/// What our convolution of bytes and oneDNN's share.
private protocol ByteDescription: DenseDescription {
  var groups: Int64 { get set }
}

extension adnn_convolution: ByteDescription {}
extension ck_byte_convolution: ByteDescription {}

extension ByteDescription {
  /// Rows times a matrix as a convolution of one pixel a row; nil where there are none, or too many.
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
