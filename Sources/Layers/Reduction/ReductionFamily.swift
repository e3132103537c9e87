import Engine

extension LayerFamily {
  /// Axes folded into one value, searched or summed along.
  public static let reduction = LayerFamily(
    "Reduction",
    [
      ReduceLayer.self, ReduceSumLayer.self, ReduceMeanLayer.self, ReduceProdLayer.self,
      ReduceL1Layer.self, ReduceL2Layer.self, ReduceMaxLayer.self, ReduceMinLayer.self,
      ReduceLogSumLayer.self, ReduceSumSquareLayer.self, ReduceLogSumExpLayer.self,
      ArgMaxLayer.self, ArgMinLayer.self, ArgSortLayer.self, TopKLayer.self, CumSumLayer.self,
    ])
}
