import ModelFormat

extension Spec.FeatureDescription {
  /// Describes a multi-array feature with a shape.
  static func array(
    _ name: String, _ shape: [Int64], _ element: Spec.ArrayFeatureType.ArrayDataType
  ) -> Spec.FeatureDescription {
    .making {
      $0.name = name
      $0.type = .making { type in
        type.type = .multiArrayType(
          .making {
            $0.shape = shape
            $0.dataType = element
          })
      }
    }
  }
}
