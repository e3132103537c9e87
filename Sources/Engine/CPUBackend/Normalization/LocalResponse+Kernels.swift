import Backends
import COneDNN
import Graph
import Operators

extension LocalResponseNormalizationOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("oneDNN local response normalisation") {
        [self] (request: KernelRequest) -> Kernel? in
        // Nil if the window has an even size, and so no centre. Also nil if oneDNN has only its unoptimised fallback
        // kernel, whose results do not have the same bits in every run.
        guard size % 2 == 1 else { return nil }
        var form: TensorDescriptor = request.followedByLibrary()
        form.layout = .channelsLast
        let map = FeatureMap(ofRankThreeOrMore: form.shape)
        guard let type = form.storage.oneDNN, form.shape.count > 0, map.fitsLibraries,
          let primitive = try DNNPrimitive.make({ (result) -> adnn_status in
            var description = adnn_lrn(
              batch: Int64(map.batch), channels: Int64(map.channels), height: Int64(map.height),
              width: Int64(map.width), size: Int32(size), alpha: alpha, beta: beta, k: k,
              type: type, layout: form.layout.oneDNN)
            return adnn_lrn_create(&description, result)
          }), !primitive.implementation.contains("ref")
        else { return nil }
        return Kernel(
          DNNStep(primitive), inputs: [form], outputs: [form],
          scratchByteCount: primitive.scratchByteCount)
      }
    ]
  }
}
