#!/bin/sh
# Builds and runs a new package that depends on Atelier by path. Atelier's build plug-in generates the classes of the
# package's models. The build folder is .build/fresh-package, or SCRATCH. The first build takes as long as building
# Atelier.
set -eu

cd "$(dirname "$0")/.."
atelier=$PWD
scratch=${SCRATCH:-$atelier/.build/fresh-package}
folder=$atelier/.build/fresh-package-source
rm -rf "$folder"

name=$(basename "$atelier" | tr '[:upper:]' '[:lower:]')
mkdir -p "$folder/Sources/app"
cp Gallery/scream/lite.mlmodel "$folder/Sources/app/Scream.mlmodel"
cat >"$folder/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app", dependencies: [.package(path: "$atelier")],
  targets: [
    .executableTarget(
      name: "app", dependencies: [.product(name: "CoreML", package: "$name")],
      plugins: [.plugin(name: "ModelClasses", package: "$name")])
  ])
END
cat >"$folder/Sources/app/main.swift" <<'END'
import CoreML

let scream = try Scream(configuration: MLModelConfiguration())
var pixels: CVPixelBuffer?
_ = CVPixelBufferCreate(nil, 96, 64, kCVPixelFormatType_32BGRA, nil, &pixels)
if let pixels {
  let painted = try scream.prediction(image: pixels).stylizedImage
  print("painted", CVPixelBufferGetWidth(painted), "x", CVPixelBufferGetHeight(painted))
}
END

swift build --configuration release --package-path "$folder" --scratch-path "$scratch"
said=$("$scratch/release/app")
if [ "$said" != "painted 96 x 64" ]; then
  echo "The package's program printed '$said', expected 'painted 96 x 64'." >&2
  exit 1
fi
echo "A new package was built with its model's generated class, found the model, and painted with it."
