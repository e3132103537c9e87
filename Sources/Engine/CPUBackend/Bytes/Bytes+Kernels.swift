import Backends
import COneDNN
import Operators

extension ByteOperator: KernelProvider {
  /// The program, which keeps its results as bytes.
  public var kernels: [KernelCandidate] { [program.candidate("native pointwise")] }
}

extension ByteConvolutionOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("oneDNN convolution of bytes") { request in
        guard let description = try convolution.libraryDescription(request) else { return nil }
        return try ByteProductKernel(request, zero: zero, epilogue: epilogue).kernel(
          description, source: .channelsLast)
      }
    ]
  }
}

extension ByteProductOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("oneDNN product of bytes") { request in
        let (columns, inner) = (request.inputs[1].shape[0], request.inputs[1].shape[1])
        let rows: Int = request.inputs[0].shape.count / inner
        guard rows > 0, let description = adnn_convolution(rows: rows, inner, columns) else {
          return nil
        }
        return try ByteProductKernel(request, zero: zero, epilogue: epilogue).kernel(
          description, source: .dense)
      }
    ]
  }
}
