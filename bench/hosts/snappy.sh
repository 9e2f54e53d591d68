#!/bin/sh
# snappyHexMesh's mesh that OpenFOAM is measured on: snappy.sh FOLDER [N] makes FOLDER/snappy, a box
# of N x N x N cells (30) around a ball, refined twice towards it and snapped to it.
command -v blockMesh snappyHexMesh >/dev/null || { echo "snappyHexMesh is not here: apt-get install openfoam"; exit 127; }
set -e
[ -d /usr/share/openfoam ] && export WM_PROJECT_DIR="${WM_PROJECT_DIR:-/usr/share/openfoam}" # Debian's
n=${2:-30}
mkdir -p "$1/snappy/system"
cd "$1/snappy"
file() { # CLASS NAME, then its text
    echo "FoamFile { version 2.0; format ascii; class $1; object $2; }"
    cat
}
file dictionary controlDict >system/controlDict <<END
application snappyHexMesh; startFrom startTime; startTime 0; stopAt endTime; endTime 1; deltaT 1;
writeControl timeStep; writeInterval 1; writeFormat binary; writePrecision 10; timePrecision 6;
END
file dictionary fvSchemes >system/fvSchemes <<END
gradSchemes {} divSchemes {} laplacianSchemes {}
END
echo | file dictionary fvSolution >system/fvSolution
file dictionary blockMeshDict >system/blockMeshDict <<END
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1));
blocks (hex (0 1 2 3 4 5 6 7) ($n $n $n) simpleGrading (1 1 1));
boundary
(
    wall5 { type wall; faces ((4 5 6 7)); }
    walls { type wall; faces ((0 3 2 1) (0 1 5 4) (1 2 6 5) (2 3 7 6) (3 0 4 7)); }
);
END
file dictionary snappyHexMeshDict >system/snappyHexMeshDict <<END
castellatedMesh true; snap true; addLayers false; mergeTolerance 1e-6;
geometry { ball { type searchableSphere; centre (0.5 0.5 0.5); radius 0.2; } }
castellatedMeshControls
{
    maxLocalCells 10000000; maxGlobalCells 20000000; minRefinementCells 0; nCellsBetweenLevels 3;
    features (); refinementSurfaces { ball { level (2 2); } } resolveFeatureAngle 30;
    refinementRegions { ball { mode distance; levels ((0.1 1)); } }
    locationInMesh (0.011 0.012 0.013); allowFreeStandingZoneFaces false;
}
snapControls { nSmoothPatch 3; tolerance 2; nSolveIter 30; nRelaxIter 5; }
addLayersControls
{
    relativeSizes true; layers {} expansionRatio 1; finalLayerThickness 0.3; minThickness 0.1; nGrow 0;
    featureAngle 60; nRelaxIter 3; nSmoothSurfaceNormals 1; nSmoothNormals 3; nSmoothThickness 10;
    maxFaceThicknessRatio 0.5; maxThicknessToMedialRatio 0.3; minMedialAxisAngle 90;
    nBufferCellsNoExtrude 0; nLayerIter 50;
}
meshQualityControls
{
    maxNonOrtho 65; maxBoundarySkewness 20; maxInternalSkewness 4; maxConcave 80; minVol 1e-13;
    minTetQuality 1e-15; minArea -1; minTwist 0.02; minDeterminant 0.001; minFaceWeight 0.05;
    minVolRatio 0.01; minTriangleTwist -1; nSmoothScale 4; errorReduction 0.75;
}
END
blockMesh >log 2>&1
snappyHexMesh -overwrite >>log 2>&1 || { tail -n 20 log; exit 1; }
